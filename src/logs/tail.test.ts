// Two nodes write to one log: whoever follows it misses no line, however long the store takes for one of them.
import { expect, it, onTestFinished } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { createLogTap } from '../kernel/log-tap.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import type { Db } from '../ports/db.ts';
import { logBodies, logChunks, logFloors } from './chunk.ts';
import { createLogFinder } from './finder.ts';
import { createLogKeeper } from './keeper.ts';
import { createLogMarks, logMarks } from './marks.ts';
import { createLogTail } from './tail.ts';

/** The store as a node sees it whose writes of lines wait for `open`. */
const slowed = (db: Db, open: Promise<void>): Db => ({
  ...db,
  collection: (spec: never) => {
    const collection = db.collection(spec) as unknown as Record<string, (...sent: unknown[]) => unknown>;
    if ((spec as { name?: string }).name !== logBodies.name) return collection as never;
    const replaceOne = async (...sent: unknown[]) => open.then(() => collection.replaceOne?.(...sent));
    return new Proxy(collection, {
      get: (of, name) => (name === 'replaceOne' ? replaceOne : Reflect.get(of, name)),
    }) as never;
  },
});

it('lines of a node whose store is slow come late, in their place, and not never', async () => {
  const db = openTestDb();
  await db.ensureIndexes([logChunks, logBodies, logFloors, logMarks]);
  const clock = new SimulatedClock(Date.UTC(2026, 5, 1));
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const node = async (nodeId: string, slot: number, own: Db) => {
    const tap = createLogTap();
    const marks = createLogMarks({ db, clock, nodeId });
    const keeper = await createLogKeeper({
      ...{ db: own, clock, log: silentLogger, tap, nodeId, host: nodeId, slot, operatorTenantId: 1, marks },
      trim: async () => {},
      runOwners: async () => new Map(),
    });
    const put = (msg: string) => tap.put(`${JSON.stringify({ level: 30, time: clock.now(), tenant: 1, msg })}\n`, null);
    return { keeper, marks, put };
  };
  const slow = await node('slow', 1, slowed(db, opened));
  const quick = await node('quick', 2, db);
  const tail = createLogTail({ finder: createLogFinder({ db }), keeper: quick.keeper, clock, marks: quick.marks });

  const seen: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const follow = (async () => {
    for await (const { message } of tail.follow([1], {}, 0, stop.signal)) seen.push(message);
  })();
  const pass = async () => {
    for (let second = 0; second < 8; second++) await clock.advance(1000);
  };
  const seenLater = async () => {
    await pass();
    return seen;
  };
  quick.put('before');
  await quick.keeper.flush();
  slow.put('of the slow one');
  const storing = slow.keeper.flush();
  await expect.poll(seenLater).toEqual(['before']);
  quick.put('of the quick one');
  await quick.keeper.flush();
  await pass();
  expect(seen).toEqual(['before']);
  open();
  await storing;
  await expect.poll(seenLater).toEqual(['before', 'of the slow one', 'of the quick one']);

  // The node that is followed on has nothing to say itself.
  slow.put('of the slow one again');
  await slow.keeper.flush();
  await expect.poll(seenLater).toHaveLength(4);

  // A node that has died while it was storing holds nobody up for longer than a minute.
  await slow.marks.begin();
  quick.put('after');
  await quick.keeper.flush();
  await pass();
  expect(seen).toHaveLength(4);
  await clock.advance(60_000);
  await expect.poll(seenLater).toHaveLength(5);
  stop.abort();
  await clock.advance(1000);
  await follow;
});
