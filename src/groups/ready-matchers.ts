// What waits for the events of a tenant or of one thing, in memory: read once for all events of a moment, and anew after a
// change, on each node, and after a while.
import type { Clock } from '../kernel/clock.ts';
import { createLru } from '../kernel/lru.ts';

/** A change on another node is seen after so long at the latest, in ms: what nodes tell each other may be lost. */
const cacheMs = 2000;
const mostOwners = 5000;

/** A change of what waits for the events of an owner, as nodes tell each other of it. */
export interface ReadyChange {
  ownerId: number;
}

/** Between nodes, for matchers of one kind. */
export interface ReadySignals {
  send(change: ReadyChange): void;
  listen(handler: (change: ReadyChange) => void): unknown;
}

interface Deps {
  clock: Pick<Clock, 'steady'>;
  /** Null where there are no other nodes. */
  signals: ReadySignals | null;
}

export function createReadyMatchers<Ready>(
  { clock, signals }: Deps,
  read: (ownerId: number) => Promise<readonly Ready[]>,
) {
  const known = createLru<number, readonly Ready[]>(mostOwners, {
    ...{ ttl: cacheMs, clock },
    fetchMethod: read,
    // A read that a change overtakes answers those who wait for it, and is not kept.
    ignoreFetchAbort: true,
  });
  signals?.listen(({ ownerId }) => known.delete(ownerId));
  return {
    /** Matchers of an owner, where they are in memory. */
    known: (ownerId: number): readonly Ready[] | undefined => known.get(ownerId),
    /** Matchers of an owner; concurrent reads share one. */
    read: async (ownerId: number): Promise<readonly Ready[]> => (await known.fetch(ownerId)) ?? [],
    /** Forgets what is known of an owner, here and on the other nodes; call after it has changed. */
    changed(ownerId: number): void {
      known.delete(ownerId);
      signals?.send({ ownerId });
    },
  };
}
