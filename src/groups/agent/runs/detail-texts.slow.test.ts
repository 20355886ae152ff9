// Details that are kept in memory, against details that are read anew, on the real store and engine.
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { RunRecord } from '../../../../runtime/records.ts';
import { detailCounts } from '../../../wiring/run-details.ts';
import { createDetailWorld, detailWrites } from '../testing/detail-world.ts';

it('a kept detail is always the one that is read anew, whatever is written and whoever reads meanwhile', async () => {
  const world = await createDetailWorld();
  const both = [world.root.id, world.child.id];
  const step = fc.record({
    write: fc.constantFrom(...Object.keys(detailWrites)),
    run: fc.constantFrom(...both),
    salt: fc.nat(50),
    early: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { write, run, salt, early } of steps) {
        const writing = detailWrites[write]!(world, run, salt);
        // What is read while a write is under way is kept, too.
        if (early) await Promise.all(both.map((id) => world.kept(id)));
        await writing;
        for (const id of both) expect(await world.kept(id)).toBe(await world.fresh(id));
      }
    }),
    { numRuns: 25 },
  );
});

it('a detail is read once while nothing changes, and anew after each write that shows', async () => {
  const world = await createDetailWorld();
  const { root } = world;
  // One that is asked for once is not kept.
  await world.kept(root.id);
  for (const write of Object.keys(detailWrites)) {
    const before = await world.kept(root.id);
    const reads = world.reads();
    expect(await world.kept(root.id)).toBe(before);
    expect(world.reads()).toBe(reads);
    await detailWrites[write]!(world, root.id, 60);
    expect([write, await world.kept(root.id)]).not.toEqual([write, before]);
    expect(world.reads()).toBe(reads + 1);
  }
});

it('a detail reads no collection whose writes are not counted', async () => {
  const world = await createDetailWorld();
  for (const write of Object.keys(detailWrites)) await detailWrites[write]!(world, world.root.id, 1);
  const counted = new Set<string>();
  detailCounts({
    changes: ({ name }) => {
      counted.add(name);
      return () => 0;
    },
  });
  world.read.clear();
  await world.fresh(world.root.id);
  // The run and its tree are known by their versions, and mailboxes by an inbox of its own store.
  const known = new Set([...counted, 'agent_trees', 'agent_tree_members', 'agent_run_items']);
  expect([...world.read].filter((name) => !known.has(name))).toEqual([]);
  expect(world.read.size).toBeGreaterThan(5);
});

it('what belongs to a run is read by one statement, and its children by another', async () => {
  const world = await createDetailWorld();
  for (const write of ['note', 'rate', 'escalate', 'checkpoint', 'talk'])
    await detailWrites[write]!(world, world.child.id, 1);
  const { file } = world.world.db;
  const spies = [vi.spyOn(file, 'get'), vi.spyOn(file, 'all')];
  const statements = () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  const detail = JSON.parse(await world.fresh(world.child.id));
  expect(detail).toMatchObject({ notes: [{}], feedback: [{}], escalations: [{}], childRuns: [] });
  expect(statements()).toBe(1);
  await world.store.runs.update(world.child.id, (now) => ({
    set: { status: 'Completed', publishedSeq: now.eventCount },
  }));
  expect(await world.store.runs.packEvents(world.child.id)).toBe(detail.recentEvents.length);
  for (const spy of spies) spy.mockClear();
  // Where its events are packed, too.
  expect(JSON.parse(await world.fresh(world.child.id)).recentEvents).toEqual(detail.recentEvents);
  expect(statements()).toBe(1);
  const { childRuns } = JSON.parse(await world.fresh(world.root.id));
  expect(statements()).toBe(3);
  const child = (await world.store.runs.get(world.child.id)) as RunRecord;
  expect(childRuns).toEqual(await world.engine.views([child]));
});
