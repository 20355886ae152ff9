import { expect, it } from 'vitest';
import type { Collection, Entity } from './db.ts';
import { polled } from './polled.ts';

function world() {
  const state = { writes: 0, reads: 0, found: [] as number[], waits: false };
  // What waits is asked of the collection itself.
  const find = () => ({ toArray: async () => (state.waits ? [{ _id: 1 }] : []) });
  const collection = { writes: () => state.writes, find } as never as Collection<Entity>;
  const read = async () => {
    state.reads++;
    return state.found;
  };
  return { state, read, collection };
}

it('a read that found nothing is spared until somebody writes', async () => {
  const { state, read, collection } = world();
  const look = polled(collection, read);
  expect([await look(), await look(), state.reads]).toEqual([[], [], 1]);
  Object.assign(state, { writes: 1, found: [7] });
  expect([await look(), await look(), state.reads]).toEqual([[7], [7], 3]);
});

it('what waits for its time is looked for each time', async () => {
  const { state, read, collection } = world();
  state.waits = true;
  const look = polled(collection, read, { _id: 1 });
  await look();
  state.found = [7];
  expect(await look()).toEqual([7]);
});

it('a write that comes while it reads is not missed', async () => {
  const { state, collection } = world();
  const look = polled(collection, async () => {
    const found = state.found;
    if (state.writes === 0) Object.assign(state, { writes: 1, found: [7] });
    return found;
  });
  expect([await look(), await look()]).toEqual([[], [7]]);
});

it('where others write, too, the read is always made', async () => {
  const { state, read, collection } = world();
  const look = polled({ find: collection.find }, read);
  await look();
  await look();
  expect(state.reads).toBe(2);
});
