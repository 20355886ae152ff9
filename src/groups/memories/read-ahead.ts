// Reading ahead: who searches for the first time has all their memories and links read into the caches, in slices between
// which the event loop serves others. One sequential read costs less than the first hundred searches would.
import { setImmediate } from 'node:timers/promises';
import { lending } from '../../memory/constants.ts';
import type { Documents, Looks } from '../../memory/ports.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { areFull, type Caches } from './cached.ts';
import type { MemoryDoc } from './record.ts';

interface Deps extends Pick<Documents, 'ranked' | 'links'> {
  memories: Keeper<MemoryDoc>;
  caches: Caches;
}

/** Memories of a slice: some 7 ms of CPU. */
const slice = 250;

/** Reading ahead fills only free space of the caches: nothing is evicted for memories that may never be asked for. */
export function createReadAhead({ memories, caches, ranked, links }: Deps): NonNullable<Documents['expect']> {
  const isFull = () => areFull(caches, slice);

  async function read(looks: Looks, signal?: AbortSignal): Promise<void> {
    const { tenantId, identityId } = looks;
    for (let after = 0; !isFull() && !signal?.aborted; ) {
      const page = { sort: { _id: 1 }, limit: slice, projection: { _id: 1 } } as const;
      const some = await memories
        .of(tenantId)
        .find({ identityId, _id: { $gt: after } }, page)
        .toArray();
      const ids = some.map(({ _id }) => _id);
      await ranked(tenantId, ids);
      await links(looks, ids, lending.mostLinks);
      if (ids.length < slice) return;
      after = ids.at(-1) as number;
      await setImmediate();
    }
  }

  return async (looks, signal) => {
    const key = `${looks.tenantId} ${looks.identityId}`;
    if (looks.identityId === 0 || isFull() || caches.expected.has(key)) return;
    caches.expected.add(key);
    // What it failed to read is read by the searches themselves.
    await read(looks, signal).catch(() => {});
  };
}
