// Which identities are there: presence follows their sockets, on all nodes, and outlives none that holds them.
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Collection, Db } from '../../ports/db.ts';
import { type PresenceDoc, type PresenceStates, presenceSpec, type Who } from './presence-states.ts';

const beatMs = 10_000;
const livesMs = 3 * beatMs;

interface Deps {
  db: Db;
  states: Pick<PresenceStates, 'settle'>;
  clock: Clock;
  log: Logger;
  nodeId: string;
}

export interface Presence {
  /** An identity's first socket on this node has come, or its last one has gone. */
  changed(change: Who & { online: boolean }): void;
  /** Takes note of what nodes that died have left, and of states whose time is over, once. */
  sweep(): Promise<void>;
  /** All of this node's sockets are gone. */
  close(): Promise<void>;
}

/** Presence of identities, kept in the store so that it is the same for all nodes and after a crash. */
export function createPresence(deps: Deps): Presence {
  const { db, clock, log, nodeId } = deps;
  const { settle } = deps.states;
  const seats: Collection<PresenceDoc> = db.collection(presenceSpec);
  const running = new Map<string, Promise<void>>();
  const here = new Map<string, Who>();
  const until = () => new Date(clock.now() + livesMs);

  const seat = async (_id: string, who: Who) => {
    await seats.replaceOne({ _id }, { _id, ...who, nodeId, until: until() }, { upsert: true });
    await settle(who);
  };
  const leave = async (_id: string, who: Who) => {
    await seats.deleteOne({ _id });
    await settle(who);
  };

  /** Peers expire the presence of a silent node; a node that was only slow registers again. */
  const renew = async () => {
    if (here.size === 0) return;
    const { matchedCount } = await seats.updateMany({ nodeId }, { $set: { until: until() } });
    if (matchedCount < here.size) for (const [id, who] of here) await seat(id, who);
  };
  const sweep = async () => {
    await renew();
    const expired = { until: { $lte: new Date(clock.now()) } };
    for (const { _id, tenantId, identityId, nodeId: seatedOn } of await seats.find(expired).toArray()) {
      const { deletedCount } = await seats.deleteOne({ _id, ...expired });
      if (deletedCount > 0) await settle({ tenantId, identityId }, seatedOn === null);
    }
  };
  const complain = (error: unknown) => log.warn({ err: error }, 'presence could not be kept');
  const stopSweep = clock.every(beatMs, () => void sweep().catch(complain));

  return {
    changed: ({ tenantId, identityId, online }) => {
      const who = { tenantId, identityId };
      const id = `${tenantId}/${identityId}/${nodeId}`;
      if (online) here.set(id, who);
      else here.delete(id);
      const change = () => (online ? seat(id, who) : leave(id, who));
      const done = (running.get(id) ?? Promise.resolve()).then(change).catch(complain);
      running.set(id, done);
      void done.then(() => running.get(id) === done && running.delete(id));
    },
    sweep,
    close: async () => {
      stopSweep();
      await Promise.all(running.values());
      const left = await seats.find({ nodeId }).toArray();
      await seats.deleteMany({ nodeId });
      for (const { tenantId, identityId } of left) await settle({ tenantId, identityId });
    },
  };
}
