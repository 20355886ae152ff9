// What the engine adds to a model's time: `tsx bench/engine/engine.ts [memory|embedded|embedded-unsynced] [--quick]`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../runtime/engine.ts';
import type { ModelRequest } from '../../runtime/model.ts';
import type { RunStore } from '../../runtime/ports.ts';
import { createMemoryStore } from '../../runtime/testing/memory-store.ts';
import { createScriptedModel } from '../../runtime/testing/scripted-model.ts';
import { testTool } from '../../runtime/testing/tools.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createIds } from '../../src/stores/ids.ts';
import { runCollections } from '../../src/stores/runs/collections.ts';
import { createRunStore } from '../../src/stores/runs/run-store.ts';

/** No two runs of a store share an id. */
let nextId = 1;

interface Opened {
  store: RunStore;
  close(): Promise<void>;
}

/** Opens a store; `embedded-unsynced` does not wait for the disk, which shows what of a turn is that wait. */
async function open(kind: string): Promise<Opened> {
  if (kind === 'memory') return { store: createMemoryStore(), close: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
  const unsynced = kind === 'embedded-unsynced' ? { sync: async () => {} } : {};
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, ...unsynced });
  await db.ensureIndexes(runCollections);
  const store = createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
  return {
    store,
    async close() {
      await store.drain();
      await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

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

/** A tool that acts outside the run: the answer that calls it must be on the disk first. */
const outside = testTool('act', async () => 'done');

interface Play {
  turns: number;
  delayMs: number;
  /** What each turn calls: a tool that changes the run alone, or one that acts outside. */
  calls?: 'run_progress' | 'act';
}

function start(store: RunStore, { turns, delayMs, calls = 'run_progress' }: Play, watch = stopwatch()) {
  const model = createScriptedModel(systemClock, (request) => {
    const turn = turnOf(request);
    if (turn >= turns - 1) return { text: 'Done.', delayMs };
    return { calls: [{ name: calls, arguments: calls === 'act' ? { value: turn } : { summary: `${turn}` } }], delayMs };
  });
  const watched: typeof model.stream = async function* (request) {
    watch.asked();
    for await (const event of model.stream(request)) {
      if (event.type === 'finish') watch.answered();
      yield event;
    }
  };
  const engine = createEngine(
    {
      store,
      sink: { publish: () => undefined },
      model: { ...model, stream: watched },
      clock: systemClock,
      log: silentLogger,
      ids: { next: async () => nextId++ },
      tools: { forRun: () => [outside], all: () => [outside] },
    },
    { soleOwner: true, slots: 2000, slotsPerTenant: 2000 },
  );
  return { engine, watch };
}

const runAll = async (engine: Engine, count: number, turns: number) => {
  const draft = { tenantId: 1, identityId: 1, goal: 'bench', autoStart: true, maxIterations: turns + 1 };
  const made = await Promise.all(Array.from({ length: count }, () => engine.create(draft)));
  const ended = await Promise.all(made.map((run) => engine.wait(run.id, 600_000)));
  const bad = ended.find((run) => run.status !== 'Completed');
  if (bad) throw new Error(`run ${bad.id} is ${bad.status}: ${bad.failureReason}`);
};

const quantile = (values: number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const round = (value: number) => Number(value.toFixed(3));

/** Milliseconds between an answer and the next question of single runs, one after the other. */
async function overheadsOf(store: RunStore, repeats: number, calls: NonNullable<Play['calls']>): Promise<number[]> {
  const turns = 40;
  const { engine, watch } = start(store, { turns, delayMs: 0, calls });
  await engine.run();
  for (let repeat = 0; repeat < repeats; repeat++) await runAll(engine, 1, turns);
  await engine.shutdown();
  return watch.overheads().filter((ms) => ms >= 0);
}

async function measure(kind: string, quick: boolean) {
  const { store, close } = await open(kind);
  await overheadsOf(store, 5, 'run_progress');
  const own = await overheadsOf(store, quick ? 3 : 10, 'run_progress');
  const acting = await overheadsOf(store, quick ? 3 : 10, 'act');

  const count = quick ? 200 : 1000;
  const many = start(store, { turns: 5, delayMs: 200 });
  await many.engine.run();
  const began = performance.now();
  await runAll(many.engine, count, 5);
  const seconds = (performance.now() - began) / 1000;
  await many.engine.shutdown();

  const memory = await memoryOfWaiting(store, quick ? 200 : 2000);
  await close();
  return {
    store: kind,
    'overhead a turn p50, ms': round(quantile(own, 0.5)),
    'overhead a turn p99, ms': round(quantile(own, 0.99)),
    'with a tool that acts outside, p50, ms': round(quantile(acting, 0.5)),
    'runs at once': count,
    'runs/s (5 turns of 200 ms)': round(count / seconds),
    'turns/s': round((count * 5) / seconds),
    'heap a waiting run, bytes': memory,
  };
}

/** Heap that a run costs the process while it waits for a decision; with the store in memory the store's share is in it. */
async function memoryOfWaiting(store: RunStore, count: number): Promise<number> {
  const model = createScriptedModel(systemClock, () => ({
    calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' } }],
  }));
  const engine = createEngine(
    {
      store,
      sink: { publish: () => undefined },
      model,
      clock: systemClock,
      log: silentLogger,
      ids: { next: async () => nextId++ },
    },
    { soleOwner: true },
  );
  await engine.run();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < count; at++) await engine.create({ tenantId: 2, identityId: 1, goal: 'wait', autoStart: true });
  for (;;) {
    const { total } = await store.runs.list({ tenantId: 2, status: ['WaitingForDecision'], limit: 1 });
    if (total === count) break;
    await systemClock.sleep(50);
  }
  await systemClock.sleep(200);
  globalThis.gc?.();
  const bytes = Math.round((process.memoryUsage().heapUsed - before) / count);
  await engine.shutdown();
  return bytes;
}

const quick = process.argv.includes('--quick');
const kinds = process.argv.slice(2).filter((word) => !word.startsWith('--'));
for (const kind of kinds.length > 0 ? kinds : ['memory', 'embedded', 'embedded-unsynced'])
  console.table(await measure(kind, quick));
