// `rivulet demo`: starts a run, on a running server or one of its own, and shows it live in the terminal.
import { type Client, createClient, type DemoScenario } from '../client/index.ts';
import type { CliSettings } from '../config.ts';
import { defaultUrl } from './connection.ts';
import { CommandError, exitCodes } from './failures.ts';
import { answers, type DemoServer, startOwn } from './own-server.ts';
import { narrateRun } from './runs.ts';
import { createTerminal } from './terminal.ts';

export interface DemoOptions {
  url?: string;
  key?: string;
  goal: string;
  model?: string;
  scene?: DemoScenario;
  speed?: number;
}

/** Scenes that can be played by name. */
export const demoScenes: readonly DemoScenario[] = [
  ...(['SingleRun', 'SpawnTree', 'Escalation', 'Council'] as const),
  ...(['BudgetExhaustion', 'ProviderFallback', 'RoutineWake', 'Chat'] as const),
];

/** Answers the exit code. @throws CommandError when a server is named that cannot be used */
export async function runDemo(options: DemoOptions, settings: CliSettings, mainFile: string): Promise<number> {
  const terminal = createTerminal(process.stdout, { color: settings.color });
  const server = await findServer(options, settings, mainFile);
  process.once('SIGINT', () => void server.stop().finally(() => process.exit(exitCodes.interrupted)));
  try {
    const client = createClient({ baseUrl: server.baseUrl, token: server.key });
    terminal.line(`Rivulet at ${server.baseUrl}${server.own ? ' (started for this demo)' : ''}`);
    const { features } = await client.system.info();
    const run = await start(client, options, features.includes('scripted-only'));
    terminal.line(`Run ${run.id}: ${run.goal}`);
    terminal.line(
      `Model: ${run.modelId ?? 'the default'}${run.modelId?.startsWith('scripted:') ? ' (a script, not a model: set OPENAI_API_KEY or OPENAI_BASE_URL for a real one)' : ''}`,
    );
    await narrateRun(client, terminal, run.id, { alone: 'recommendation' });
    const ended = await client.agentRuns.get({ params: { id: run.id } });
    terminal.close();
    if (ended.progressSummary) console.log(`\n${ended.progressSummary}`);
    return ended.status === 'Completed' ? exitCodes.done : exitCodes.ended;
  } finally {
    terminal.close();
    await server.stop();
  }
}

/** A scene, or a run of its own goal. */
function start(client: Client, { goal, scene, speed, ...options }: DemoOptions, isScripted: boolean) {
  if (scene) return client.demo.run({ body: { scenario: scene, speed: speed ?? 1 } });
  const model = options.model ?? (isScripted ? 'scripted:demo' : null);
  return client.agentRuns.create({ body: { goal, autoStart: true, ...(model ? { modelId: model } : {}) } });
}

async function findServer(options: DemoOptions, settings: CliSettings, mainFile: string): Promise<DemoServer> {
  const named = options.url ?? settings.url;
  const baseUrl = named ?? settings.localUrl ?? defaultUrl;
  const key = options.key ?? settings.key;
  const there = await answers(baseUrl);
  if (there && key) return { baseUrl, key, own: false, stop: async () => undefined };
  if (named)
    throw there
      ? new CommandError(`Give a key for ${baseUrl}: --key rvt_… or RIVULET_KEY.`, exitCodes.refused)
      : new CommandError(`No Rivulet server answers at ${baseUrl}.`, exitCodes.unreachable);
  return startOwn(mainFile, settings.environment);
}
