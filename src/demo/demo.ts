// `npm run demo`: starts a run, on a running server or one of its own, and shows it live in the terminal.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ApiError, createClient } from '../client/index.ts';
import { loadDemoSettings } from '../config.ts';
import { decide } from './decide.ts';
import { createNarrator } from './narrate.ts';
import { answers, type DemoServer, startOwn } from './server.ts';
import { createTerminal } from './terminal.ts';

const usage = `npm run demo -- [options]
  --url URL      the server to use (default: one on http://127.0.0.1:7717, else one of the demo's own)
  --key KEY      a key for it (default: RIVULET_ADMIN_KEY)
  --goal TEXT    what the run shall do
  --model MODEL  provider:model (default: the server's; the demo's script where no model is configured)`;

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    goal: { type: 'string', default: 'Show what Rivulet does: plan, use tools and report.' },
    model: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

async function main(): Promise<number> {
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const settings = loadDemoSettings();
  const terminal = createTerminal(process.stdout, { color: settings.color });
  const server = await findServer(settings);
  process.once('SIGINT', () => void server.stop().finally(() => process.exit(130)));
  try {
    const client = createClient({ baseUrl: server.baseUrl, token: server.key });
    terminal.line(`Rivulet at ${server.baseUrl}${server.own ? ' (started for this demo)' : ''}`);
    const { features } = await client.system.info();
    const model = options.model ?? (features.includes('scripted-only') ? 'scripted:demo' : null);
    const run = await client.agentRuns.create({
      body: { goal: options.goal, autoStart: true, ...(model ? { modelId: model } : {}) },
    });
    terminal.line(`Run ${run.id}: ${run.goal}`);
    terminal.line(
      `Model: ${run.modelId ?? 'the default'}${run.modelId?.startsWith('scripted:') ? ' (a script, not a model: set OPENAI_API_KEY or OPENAI_BASE_URL for a real one)' : ''}`,
    );
    const narrator = createNarrator(terminal, run.id);
    for await (const event of client.stream(`run-tree:${run.id}`, { cursor: '0', transport: 'sse' })) {
      narrator.tell(event);
      if (event.type === 'run.event' && event.data.type === 'EscalationRaised')
        await decide(client, event.data.runId, terminal);
      if (event.type === 'run.ended' && event.data.id === run.id) break;
    }
    const ended = await client.agentRuns.get({ params: { id: run.id } });
    terminal.close();
    if (ended.progressSummary) console.log(`\n${ended.progressSummary}`);
    return ended.status === 'Completed' ? 0 : 1;
  } finally {
    terminal.close();
    await server.stop();
  }
}

async function findServer(settings: ReturnType<typeof loadDemoSettings>): Promise<DemoServer> {
  const baseUrl = options.url ?? 'http://127.0.0.1:7717';
  const key = options.key ?? settings.key;
  const there = await answers(baseUrl);
  if (there && key) return { baseUrl, key, own: false, stop: async () => undefined };
  if (options.url)
    throw new Error(
      there
        ? `Give a key for ${baseUrl}: --key rvt_… or RIVULET_ADMIN_KEY.`
        : `No Rivulet server answers at ${baseUrl}.`,
    );
  return startOwn(fileURLToPath(new URL('../main.js', import.meta.url)), settings.environment);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(
      error instanceof ApiError
        ? `${error.message}${error.hint ? `\n${error.hint}` : ''}`
        : error instanceof Error
          ? error.message
          : error,
    );
    process.exit(1);
  },
);
