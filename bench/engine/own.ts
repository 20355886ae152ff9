// What the engine adds to a model's time on one store, in a process of its own: `own STORE [--uri URI] [--quick]`, answers over IPC.
import { parseArgs } from 'node:util';
import { createEngine, type Engine } from '../../runtime/engine.ts';
import type { ModelRequest } from '../../runtime/model.ts';
import type { RunStore } from '../../runtime/ports.ts';
import { createScriptedModel, type ScriptedTurn } from '../../runtime/testing/scripted-model.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { quantile } from '../report.ts';
import { openStore } from './stores.ts';

export interface OwnFigures {
  store: string;
  /** Milliseconds between a model's answer and the next question. */
  overheadP50: number;
  overheadP99: number;
  atOnce: number;
  runsPerSecond: number;
  /** CPU time of this process for one turn; a database of another process is not in it. */
  cpuMsPerTurn: number;
  /** KiB of a run that waits, in the heap and in the whole process. */
  waitingForDecision: Memory;
  waitingForChildren: Memory;
}

interface Memory {
  heapKib: number;
  rssKib: number;
}

/** No two runs of a store share an id. */
let nextId = 1;

/** Marks when each turn of the watched run asks the model, and when the model has answered. */
function stopwatch() {
  const asked: number[] = [];
  const answered: number[] = [];
  return {
    asked: () => void asked.push(performance.now()),
    answered: () => void answered.push(performance.now()),
    /** Milliseconds between an answer and the next question: all of it is the engine's. */
    overheads: () => asked.slice(1).map((at, index) => at - answered[index]!),
  };
}

const turnOf = (request: ModelRequest) => request.messages.filter((one) => one.role === 'assistant').length;

async function start(store: RunStore, script: (request: ModelRequest) => ScriptedTurn, watch = stopwatch()) {
  const model = createScriptedModel(systemClock, script);
  const watched: typeof model.stream = async function* (request) {
    watch.asked();
    for await (const event of model.stream(request)) {
      if (event.type === 'finish') watch.answered();
      yield event;
    }
    // The scripted model keeps every request for tests, which would be counted as memory of runs.
    model.requests.length = 0;
  };
  const engine = createEngine(
    {
      store,
      sink: { publish: () => undefined },
      model: { ...model, stream: watched },
      clock: systemClock,
      log: silentLogger,
      ids: { next: async () => nextId++ },
    },
    { soleOwner: true, slots: 2000, slotsPerTenant: 2000 },
  );
  await engine.run();
  return { engine, watch };
}

/** Progress, turn after turn, then an end. */
const steps =
  (turns: number, delayMs: number) =>
  (request: ModelRequest): ScriptedTurn => {
    const turn = turnOf(request);
    if (turn >= turns - 1) return { text: 'Done.', delayMs };
    return { calls: [{ name: 'run_progress', arguments: { summary: `${turn}` } }], delayMs };
  };

const draft = { tenantId: 1, identityId: 1, goal: 'bench', autoStart: true };

async function runAll(engine: Engine, count: number, turns: number): Promise<void> {
  const made = await Promise.all(
    Array.from({ length: count }, () => engine.create({ ...draft, maxIterations: turns + 1 })),
  );
  const ended = await Promise.all(made.map((run) => engine.wait(run.id, 600_000)));
  const bad = ended.find((run) => run.status !== 'Completed');
  if (bad) throw new Error(`run ${bad.id} is ${bad.status}: ${bad.failureReason}`);
}

/** Runs before any is watched: in a server that runs for days, V8 has compiled what is hot. */
const warmRuns = 25;

/** One run after the other, the model taking no time. */
async function overheads(store: RunStore, repeats: number): Promise<number[]> {
  const turns = 40;
  const warm = await start(store, steps(turns, 0));
  await runAll(warm.engine, warmRuns, turns);
  await warm.engine.shutdown();
  const single = await start(store, steps(turns, 0));
  for (let repeat = 0; repeat < repeats; repeat++) await runAll(single.engine, 1, turns);
  await single.engine.shutdown();
  // A run's last answer to the first question of the next is not a turn.
  return single.watch.overheads().filter((_, at) => (at + 1) % turns !== 0);
}

/** Many at once, each of five turns at a model that takes 200 ms. */
async function together(store: RunStore, count: number) {
  const turns = 5;
  const { engine } = await start(store, steps(turns, 200));
  const cpu = process.cpuUsage();
  const began = performance.now();
  await runAll(engine, count, turns);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await engine.shutdown();
  return { runsPerSecond: count / seconds, cpuMsPerTurn: (user + system) / 1000 / (count * turns) };
}

function memoryNow(): { heap: number; rss: number } {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

/** Memory that a run costs while it waits; the first ones fill the room that is free already. */
async function memoryOfWaiting(store: RunStore, count: number, status: Waiting): Promise<Memory> {
  const { engine } = await start(store, waits[status]);
  const tenantId = status === 'WaitingForDecision' ? 2 : 3;
  const until = async (wanted: number) => {
    for (;;) {
      const { total } = await store.runs.list({ tenantId, status: [status], limit: 1 });
      if (total >= wanted) break;
      await systemClock.sleep(50);
    }
    await systemClock.sleep(300);
  };
  const make = async (some: number) => {
    for (let at = 0; at < some; at++) await engine.create({ ...draft, tenantId });
  };
  const first = count / 5;
  await make(first);
  await until(first);
  const before = memoryNow();
  await make(count);
  await until(first + count);
  const after = memoryNow();
  await engine.shutdown();
  return { heapKib: (after.heap - before.heap) / count / 1024, rssKib: (after.rss - before.rss) / count / 1024 };
}

type Waiting = 'WaitingForDecision' | 'WaitingForChildren';

const ask: ScriptedTurn = { calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' } }] };
/** A parent waits for its only child, and the child for a person. */
const spawnOne: ScriptedTurn = { calls: [{ name: 'run_spawn', arguments: { goal: 'be the child', wait: true } }] };
const isChild = ({ messages }: ModelRequest) => JSON.stringify(messages).includes('be the child');
const waits: Record<Waiting, (request: ModelRequest) => ScriptedTurn> = {
  WaitingForDecision: () => ask,
  WaitingForChildren: (request) => (isChild(request) ? ask : spawnOne),
};

async function measure(name: string, uri: string | undefined, quick: boolean): Promise<OwnFigures> {
  const { store, close } = await openStore(name, uri);
  // Servers in other processes are slower to fill: they get fewer runs.
  const small = quick || uri !== undefined;
  const found = await overheads(store, small ? 10 : 50);
  const atOnce = small ? 200 : 1000;
  const many = await together(store, atOnce);
  const waiting = small ? 100 : 1000;
  const waitingForDecision = await memoryOfWaiting(store, waiting, 'WaitingForDecision');
  const waitingForChildren = await memoryOfWaiting(store, waiting, 'WaitingForChildren');
  await close();
  const [overheadP50, overheadP99] = [quantile(found, 0.5), quantile(found, 0.99)];
  return { store: name, overheadP50, overheadP99, atOnce, ...many, waitingForDecision, waitingForChildren };
}

if (process.argv[1] === import.meta.filename) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { uri: { type: 'string' }, quick: { type: 'boolean', default: false } },
  });
  const figures = await measure(positionals[0] ?? '', values.uri, values.quick);
  process.send?.(figures, () => process.exit(0));
}
