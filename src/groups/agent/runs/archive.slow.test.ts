// Runs that were put away, against details that are read anew, on the real store and engine.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { Caller } from '../../../contract/caller.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import type { Publication } from '../../../ports/stream.ts';
import { keptDetails } from '../../../wiring/run-details.ts';
import { createDetailWorld, type DetailWorld, detailWrites } from '../testing/detail-world.ts';
import { codeOf } from '../testing/world.ts';
import { createRunArchive } from './archive.ts';
import { detailText } from './detail.ts';

/** Writes to a run that has ended. */
const { spawn: _, ...writes } = detailWrites;

async function setUp() {
  const details = await createDetailWorld();
  const { world, store, engine, clock, root, child } = details;
  let reads = 0;
  const hooks = { afterRead: async () => {} };
  const archive = createRunArchive({
    ...{ store, viewVersion: engine.viewVersion, kept: keptDetails(world.db), clock, log: silentLogger },
    read: async (run) => {
      reads++;
      const detail = await details.detail(run);
      await hooks.afterRead();
      return detail;
    },
  });
  const both = [root.id, child.id];
  const runOf = async (id: number) => (await store.runs.get(id)) as RunRecord;
  /** Every run of the tree ends, and the tree is quiet. */
  const rest = async () => {
    const tree = await store.trees.get(root.id);
    for (const [id] of tree!.members)
      await store.runs.update(id, (now) => (now.status === 'Completed' ? null : { set: { status: 'Completed' } }));
    await store.trees.update(root.id, (now) => (now.quiescedAt === null ? { quiescedAt: 1 } : null));
  };
  const putAway = async (id: number) => {
    await clock.advance(5000);
    archive.missed(await runOf(id));
    await archive.idle();
  };
  return { ...details, hooks, archive, both, rest, putAway, runOf, reads: () => reads };
}

it('a run that was put away shows what would be read anew, whatever is written and whoever puts away meanwhile', async () => {
  const found = { archived: 0, other: 0 };
  const step = fc.record({
    write: fc.constantFrom(...Object.keys(writes)),
    of: fc.nat(1),
    salt: fc.nat(50),
    early: fc.boolean(),
    rests: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const world = await setUp();
      const { archive, both, caller } = world;
      await world.rest();
      for (const id of both) await world.putAway(id);
      for (const { write, of, salt, early, rests } of steps) {
        const writing = detailWrites[write]!(world, both[of]!, salt);
        if (early) await Promise.all(both.map((id) => world.putAway(id)));
        await writing;
        for (const id of both) {
          const text = archive.detailOf(caller, id);
          found[text === null ? 'other' : 'archived']++;
          if (text !== null) expect([write, text]).toEqual([write, await world.fresh(id)]);
        }
        if (rests) await world.rest();
        for (const id of both) await world.putAway(id);
      }
    }),
    { numRuns: 15 },
  );
  // Neither is always so: the other run is left alone by most writes.
  expect(found.archived).toBeGreaterThan(5);
  expect(found.other).toBeGreaterThan(5);
});

/** What must be there before there is something to remove or to resolve. */
const before: Record<string, string> = {
  removeNotes: 'note',
  endTalk: 'talk',
  resolve: 'escalate',
  readAll: 'message',
  unread: 'message',
};

it('each write that shows takes a run out of the archive, and one that was put away is not read', async () => {
  for (const write of Object.keys(writes)) {
    const world = await setUp();
    const { archive, caller, root } = world;
    const first = before[write];
    if (first) await detailWrites[first]!(world, root.id, 1);
    await world.rest();
    await world.putAway(root.id);
    const kept = archive.detailOf(caller, root.id);
    // Who has read a message of a run is shown with it: such a run is not put away.
    expect([write, kept === null]).toEqual([write, first === 'message']);
    if (kept === null) continue;
    expect(kept).toBe(await world.fresh(root.id));
    expect(world.reads()).toBe(1);
    await detailWrites[write]!(world, root.id, 60);
    expect([write, archive.detailOf(caller, root.id)]).toEqual([write, null]);
  }
});

it('a run that is written to while it is put away is left out, and tried again', async () => {
  for (const write of ['note', 'event', 'pool', 'rate', 'checkpoint']) {
    const world = await setUp();
    const { archive, caller, root, hooks, clock } = world;
    await world.rest();
    hooks.afterRead = async () => void (await detailWrites[write]!(world, root.id, 1));
    await world.putAway(root.id);
    expect([write, archive.detailOf(caller, root.id)]).toEqual([write, null]);
    hooks.afterRead = async () => {};
    await world.rest();
    await clock.advance(5000);
    await archive.idle();
    expect([write, archive.detailOf(caller, root.id)]).toEqual([write, await world.fresh(root.id)]);
  }
});

it('a tree is put away some seconds after it has come to rest', async () => {
  const world = await setUp();
  const { archive, caller, both, clock, root } = world;
  await world.rest();
  const { tenantId } = world;
  const data = { rootRunId: root.id };
  archive.see({ tenantId, topics: [], type: 'run.updated', data } as unknown as Publication);
  await clock.advance(5000);
  await archive.idle();
  expect(both.map((id) => archive.detailOf(caller, id))).toEqual([null, null]);
  archive.see({ tenantId, topics: [], type: 'tree.quiesced', data } as unknown as Publication);
  await clock.advance(4999);
  await archive.idle();
  expect(archive.detailOf(caller, root.id)).toBeNull();
  await clock.advance(1);
  await archive.idle();
  for (const id of both) expect(archive.detailOf(caller, id)).toBe(await world.fresh(id));
});

it('what is at work, imported, or has variables is not put away', async () => {
  const notAtRest: [string, (world: Awaited<ReturnType<typeof setUp>>) => Promise<unknown>][] = [
    ['at work', ({ store, root }) => store.runs.update(root.id, () => ({ set: { status: 'Running' } }))],
    ['a tree at work', ({ store, root }) => store.trees.update(root.id, () => ({ quiescedAt: null }))],
    ['imported', ({ store, root }) => store.runs.update(root.id, () => ({ set: { importedAt: 1 } }))],
    ['variables', ({ store, root }) => store.runs.update(root.id, () => ({ set: { environmentJson: '{"KEY":"x"}' } }))],
  ];
  for (const [what, change] of notAtRest) {
    const world = await setUp();
    await world.rest();
    await change(world);
    await world.putAway(world.root.id);
    expect([what, world.archive.detailOf(world.caller, world.root.id)]).toEqual([what, null]);
  }
});

it('a run that was put away is there for whom it would be there', async () => {
  const world = await setUp();
  const { archive, caller, store, root } = world;
  await store.runs.update(root.id, () => ({ set: { projectId: 7 } }));
  await world.rest();
  await world.putAway(root.id);
  expect(archive.detailOf(caller, root.id)).toBe(await world.fresh(root.id));
  const stranger: Caller = { ...caller, tenantId: caller.tenantId + 1 };
  const outside = { ...caller, projects: { hidden: new Set([7]), readOnly: new Set() } } as unknown as Caller;
  expect(await codeOf(() => archive.detailOf(stranger, root.id))).toBe('NOT_FOUND');
  expect(await codeOf(() => archive.detailOf(outside, root.id))).toBe('NOT_FOUND');
});

it('nothing is put away after the end, and one that cannot be kept is tried once', async () => {
  const world = await setUp();
  const { archive, caller, root } = world;
  await world.rest();
  await detailWrites.message!(world as DetailWorld, root.id, 1);
  await world.putAway(root.id);
  await world.putAway(root.id);
  expect(world.reads()).toBe(1);
  await archive.close();
  await world.putAway(world.child.id);
  expect(archive.detailOf(caller, world.child.id)).toBeNull();
});

it('a text that a program of another form has kept is not shown, and goes', async () => {
  const world = await setUp();
  const { archive, caller, root } = world;
  await world.rest();
  await world.putAway(root.id);
  const { db } = world.world;
  db.keptTexts!({ name: 'run_details', format: 'another', madeOf: [] });
  expect(archive.detailOf(caller, root.id)).toBeNull();
  expect(detailText(await world.detail(await world.runOf(root.id)))).toBe(await world.fresh(root.id));
});
