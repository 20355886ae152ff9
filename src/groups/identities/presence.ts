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

/** Presence of identities, kept in the store so that it is the same for all nodes and after a crash. */
export function createPresence({ db, identities, publisher, clock, log, nodeId }: Deps): Presence {
  const seats: Collection<PresenceDoc> = db.collection(presenceSpec);
  const running = new Map<string, Promise<void>>();
  const here = new Set<string>();

  const isThere = async ({ tenantId, identityId }: Who) =>
    (await seats.findOne({ tenantId, identityId, until: { $gt: new Date(clock.now()) } })) !== null;

  const move = async (who: Who, online: boolean): Promise<void> => {
    // A state that the identity chose for itself while it is there, such as DeepWork, is left alone.
    const from = online ? { $in: ['Dormant', 'Subconscious'] as const } : { $ne: 'Dormant' as const };
    const presenceState = online ? 'Present' : 'Dormant';
    const moved = await identities(who.tenantId).findOneAndUpdate(
      { _id: who.identityId, deletedAt: null, presenceState: from },
      { $set: { presenceState } },
    );
    if (!moved) return;
    const { tenantId, identityId } = who;
    const atUtc = new Date(clock.now()).toISOString();
    const data: PresenceChangedDto = { identityId, presenceState, statusText: null, atUtc };
    await publisher.publish({
      tenantId,
      topics: ['identities', `identity:${identityId}`],
      type: 'presence.changed',
      data,
    });
  };

  /** Another node may seat the identity between the look and the change, so it looks again. */
  const settle = async (who: Who): Promise<void> => {
    for (let online = await isThere(who); ; ) {
      await move(who, online);
      const now = await isThere(who);
      if (now === online) return;
      online = now;
    }
  };

  const change = async ({ online, ...who }: Who & { online: boolean }, seat: string): Promise<void> => {
    const until = new Date(clock.now() + livesMs);
    if (online) await seats.replaceOne({ _id: seat }, { _id: seat, ...who, nodeId, until }, { upsert: true });
    else await seats.deleteOne({ _id: seat });
    await settle(who);
  };

  const complain = (error: unknown) => log.warn({ err: error }, 'presence could not be kept');
  const sweep = async () => {
    const now = clock.now();
    if (here.size > 0) await seats.updateMany({ nodeId }, { $set: { until: new Date(now + livesMs) } });
    for (const { _id, tenantId, identityId } of await seats.find({ until: { $lte: new Date(now) } }).toArray()) {
      const { deletedCount } = await seats.deleteOne({ _id, until: { $lte: new Date(now) } });
      if (deletedCount > 0) await settle({ tenantId, identityId });
    }
  };
  const stopSweep = clock.every(beatMs, () => void sweep().catch(complain));

  return {
    changed: (event) => {
      const { tenantId, identityId, online } = event;
      const seat = `${tenantId}/${identityId}/${nodeId}`;
      if (online) here.add(seat);
      else here.delete(seat);
      const done = (running.get(seat) ?? Promise.resolve()).then(() => change(event, seat)).catch(complain);
      running.set(seat, done);
      void done.then(() => running.get(seat) === done && running.delete(seat));
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
