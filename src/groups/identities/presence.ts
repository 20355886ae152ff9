// Which identities are there: presence follows their sockets, on all nodes, and outlives none that holds them.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import { type Collection, type Db, defineCollection } from '../../ports/db.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { PresenceChangedDto } from './dto.ts';

/** One identity's sockets on one node. */
interface PresenceDoc {
  _id: string;
  tenantId: number;
  identityId: number;
  nodeId: string;
  /** Renewed while the node lives. */
  until: Date;
}

export const presenceSpec = defineCollection<PresenceDoc>({
  name: 'presence',
  indexes: [{ keys: { tenantId: 1, identityId: 1 } }, { keys: { nodeId: 1 } }, { keys: { until: 1 } }],
});

const beatMs = 10_000;
const livesMs = 3 * beatMs;

interface Deps {
  db: Db;
  identities: PerTenant<IdentityDoc>;
  publisher: Publisher;
  clock: Clock;
  log: Logger;
  nodeId: string;
}

interface Who {
  tenantId: number;
  identityId: number;
}

export interface Presence {
  /** An identity's first socket on this node has come, or its last one has gone. */
  changed(change: Who & { online: boolean }): void;
  /** Takes note of what nodes that died have left, once. */
  sweep(): Promise<void>;
  /** All of this node's sockets are gone. */
  close(): Promise<void>;
}

/** Moves an identity's state to what its seats say, and tells of it. */
function createSettle({ identities, publisher, clock }: Deps, seats: Collection<PresenceDoc>) {
  const isThere = async ({ tenantId, identityId }: Who) =>
    (await seats.findOne({ tenantId, identityId, until: { $gt: new Date(clock.now()) } })) !== null;

  const move = async ({ tenantId, identityId }: Who, online: boolean): Promise<void> => {
    // A state that the identity chose for itself while it is there, such as DeepWork, is left alone.
    const from = online ? { $in: ['Dormant', 'Subconscious'] as const } : { $ne: 'Dormant' as const };
    const presenceState = online ? 'Present' : 'Dormant';
    const moved = await identities(tenantId).findOneAndUpdate(
      { _id: identityId, deletedAt: null, presenceState: from },
      { $set: { presenceState } },
    );
    if (!moved) return;
    const atUtc = new Date(clock.now()).toISOString();
    const data: PresenceChangedDto = { identityId, presenceState, statusText: null, atUtc };
    await publisher.publish({
      tenantId,
      topics: ['identities', `identity:${identityId}`],
      type: 'presence.changed',
      data,
    });
  };

  return async (who: Who): Promise<void> => {
    // Another node may seat the identity between the look and the change, so it looks again.
    for (let online = await isThere(who); ; ) {
      await move(who, online);
      const now = await isThere(who);
      if (now === online) return;
      online = now;
    }
  };
}

/** Presence of identities, kept in the store so that it is the same for all nodes and after a crash. */
export function createPresence(deps: Deps): Presence {
  const { db, clock, log, nodeId } = deps;
  const seats: Collection<PresenceDoc> = db.collection(presenceSpec);
  const settle = createSettle(deps, seats);
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

  /** Others take away the seats of a node that was silent for too long: one that lives after all sits down again. */
  const renew = async () => {
    if (here.size === 0) return;
    const { matchedCount } = await seats.updateMany({ nodeId }, { $set: { until: until() } });
    if (matchedCount < here.size) for (const [id, who] of here) await seat(id, who);
  };
  const sweep = async () => {
    await renew();
    const expired = { until: { $lte: new Date(clock.now()) } };
    for (const { _id, tenantId, identityId } of await seats.find(expired).toArray()) {
      const { deletedCount } = await seats.deleteOne({ _id, ...expired });
      if (deletedCount > 0) await settle({ tenantId, identityId });
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
