// Runs on the embedded store, their process killed at some write of the database: the next one ends them rightly.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine } from '../../runtime/engine.ts';
import type { ModelRequest } from '../../runtime/model.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import { createScriptedModel, type ScriptedTurn } from '../../runtime/testing/scripted-model.ts';
import { testTool } from '../../runtime/testing/tools.ts';
import type { Emission } from '../../runtime/views/emission.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import type { Collection, Db, Entity } from '../../src/ports/db.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createIds } from '../../src/stores/ids.ts';
import { runCollections } from '../../src/stores/runs/collections.ts';
import { createRunStore } from '../../src/stores/runs/run-store.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';

const writes = new Set([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
]);

/** Several documents a write, or one, as MongoDB has it. */
type Kind = 'together' | 'a document a write';

/** A connection that dies at its n-th write, before or after it took effect: nothing it does is ever answered again. */
function mortal(db: Db, death: { write: number; applied: boolean }) {
  const state = { count: 0, dead: false };
  const never = new Promise<never>(() => {});
  const mortally = <R>(write: () => Promise<R>): Promise<R> => {
    if (state.dead) return never;
    const dying = ++state.count === death.write;
    if (dying) state.dead = true;
    if (dying && !death.applied) return never;
    const result = write();
    if (dying) result.catch(() => {});
    return dying ? never : result.then((value) => (state.dead ? never : value));
  };
  const wrap = <T extends Entity>(collection: Collection<T>): Collection<T> =>
    new Proxy(collection, {
      get(target, key) {
        const method = Reflect.get(target, key) as unknown;
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          if (!writes.has(String(key))) return Reflect.apply(method, target, args);
          return mortally(() => Reflect.apply(method, target, args) as Promise<unknown>);
        };
      },
    });
  const { together, ...rest } = db;
  const alive: Db = { ...rest, collection: ((source: string) => wrap(db.collection(source))) as Db['collection'] };
  if (together) alive.together = (work) => mortally(() => together(work));
  return { db: alive, state };
}

function script(request: ModelRequest): ScriptedTurn {
  const turn = request.messages.filter((one) => one.role === 'assistant').length;
  const isChild = request.messages[1]?.content === 'part';
  if (isChild) return turn === 0 ? { calls: [{ name: 'effect', arguments: { value: 1 } }] } : { text: 'part done' };
  if (turn === 0) {
    return {
      calls: [
        { name: 'effect', arguments: {}, id: 'a' },
        { name: 'run_spawn', arguments: { goal: 'part', wait: true }, id: 'b' },
        { name: 'run_spawn', arguments: { goal: 'part' }, id: 'c' },
      ],
    };
  }
  return { text: 'all done' };
}

let folder: string;
let whole: Db;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-kill-'));
  whole = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  await whole.ensureIndexes(runCollections);
});
afterAll(async () => {
  await whole.close();
  await rm(folder, { recursive: true });
});

function restricted(kind: Kind): Db {
  const { together: _, ...single } = whole;
  return kind === 'together' ? whole : single;
}

async function play(kind: Kind, death: { write: number; applied: boolean }) {
  const db = restricted(kind);
  const tenantId = death.write + (kind === 'together' ? 1000 : 0);
  const idempotencyKey = `${kind} ${death.write} ${death.applied}`;
  const clock = createShiftedClock();
  const emissions: Emission[] = [];
  const repeated: string[] = [];
  const reader = createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
  const effect = testTool('effect', async (_, { run, idempotencyKey }) => {
    const key = idempotencyKey.split('-').at(-1)!;
    const calls = await reader.runs.toolCalls(run.id, Number(key.split('.')[0]));
    if (calls.find((one) => one.key === key)?.result != null) repeated.push(idempotencyKey);
    return 'done';
  });
  const boot = async (on: Db, isDead: () => boolean) => {
    const store = createRunStore({ db: on, ids: createIds({ db: on }), logger: silentLogger });
    const model = createScriptedModel(systemClock, script);
    const engine = createEngine(
      {
        store,
        sink: { publish: (batch) => (isDead() ? undefined : void emissions.push(...batch)) },
        model: {
          ...model,
          stream: (request) =>
            isDead()
              ? (async function* () {
                  await new Promise(() => {});
                })()
              : model.stream(request),
        },
        clock,
        log: silentLogger,
        ids: { next: (kind) => ids.next(`agent_${kind}s`) },
        tools: { forRun: () => [effect], all: () => [effect] },
      },
      { soleOwner: true, reconcileMs: 20 },
    );
    return { engine, store };
  };
  const ids = createIds({ db });
  const first = mortal(db, death);
  const one = await boot(first.db, () => first.state.dead);
  void one.engine.run().then(() =>
    one.engine.create({
      tenantId,
      identityId: 1,
      goal: 'whole',
      autoStart: true,
      idempotencyKey,
    }),
  );
  for (let waited = 0; !first.state.dead && waited < 100; waited++) {
    const { items } = await reader.runs.list({ tenantId, rootsOnly: true, limit: 10 });
    if (items.some((run) => hasEnded(run.status) && !run.unfinished)) break;
    await systemClock.sleep(10);
  }
  const died = first.state.dead;
  first.state.dead = true;
  const two = await boot(db, () => false);
  await two.store.repair();
  await two.engine.run();
  const root = await two.engine.create({
    tenantId,
    identityId: 1,
    goal: 'whole',
    autoStart: true,
    idempotencyKey,
  });
  await two.engine.wait(root.id, 20_000);
  for (let waited = 0; waited < 200; waited++) {
    const { items } = await two.store.runs.list({ tenantId, rootRunId: root.id, limit: 10 });
    if (items.every((run) => hasEnded(run.status) && !run.unfinished)) break;
    // What has ended is left to its process for a while, which passes at once.
    clock.shift(3000);
    await two.engine.reconcile();
  }
  await two.engine.shutdown();
  await two.store.drain();
  return { died, store: two.store, rootId: root.id, tenantId, repeated, emissions };
}

const kinds: Kind[] = ['together', 'a document a write'];

test.each(kinds)('whatever write a process dies at, the tree ends rightly: %s', { timeout: 240_000 }, async (kind) => {
  let write = 1;
  for (let isReached = true; isReached; write += 2) {
    const applied = write % 4 === 1;
    const { died, store, rootId, tenantId, repeated, emissions } = await play(kind, { write, applied });
    // The last one is of a process that has ended its work before that write.
    isReached = died;
    const at = `killed ${applied ? 'after' : 'before'} write ${write}`;
    expect(repeated, at).toEqual([]);
    const { items } = await store.runs.list({ tenantId, rootRunId: rootId, limit: 10, sort: 'id' });
    expect(
      items.map((run) => run.status),
      at,
    ).toEqual(['Completed', 'Completed', 'Completed']);
    const tree = await store.trees.get(rootId);
    expect(tree?.holds, at).toEqual({});
    expect(tree?.tokensUsed, at).toBe(items.reduce((sum, run) => sum + run.tokensUsed + run.writtenOffTokens, 0));
    const log = (await store.runs.messages(rootId, 0)).map((entry) => JSON.stringify(entry.message)).join('\n');
    expect(log.match(/part done/g), at).toHaveLength(2);
    for (const run of items) {
      const seqs = (await store.runs.events(run.id, { limit: 1000 })).map((event) => event.seq);
      expect(seqs, at).toEqual(Array.from({ length: run.eventCount }, (_, index) => index + 1));
      const told = emissions.filter((one) => one.type === 'run.event' && one.topics[0] === `run:${run.id}`);
      expect(new Set(told.map((one) => (one.data as { seq: number }).seq)).size, at).toBe(run.eventCount);
    }
  }
  expect(write).toBeGreaterThan(40);
});
