// `rivulet demo`: starts a run, on a running server or one of its own, and shows it live in the terminal.
import { type Client, createClient, type DemoScenario } from '../client/index.ts';
import type { CliSettings } from '../config.ts';
import { addressOf, connect, type Keyring } from './connection.ts';
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

interface DemoWorld {
  settings: CliSettings;
  keyring: Keyring;
  /** What starts a server. */
  mainFile: string;
}

/** Answers the exit code. @throws CommandError when a server is named that cannot be used */
export async function runDemo(options: DemoOptions, world: DemoWorld): Promise<number> {
  const terminal = createTerminal(process.stdout, { color: world.settings.color });
  const server = await findServer(options, world);
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

/** The server that every command would take, where it answers and lets somebody in; else one of the demo's own. */
async function findServer(options: DemoOptions, { settings, keyring, mainFile }: DemoWorld): Promise<DemoServer> {
  const isNamed = (options.url ?? settings.url) !== undefined;
  const isThere = await answers(addressOf(options, settings, keyring));
  if (!isThere && !isNamed) return startOwn(mainFile, settings.environment);
  try {
    const { url, key } = await connect(options, settings, keyring);
    if (!isThere) throw new CommandError(`No Rivulet server answers at ${url}.`, exitCodes.unreachable);
    return { baseUrl: url, key, own: false, stop: async () => undefined };
  } catch (error) {
    if (isNamed || !(error instanceof CommandError)) throw error;
    return startOwn(mainFile, settings.environment);
  }
}
