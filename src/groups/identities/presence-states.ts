// The state of an identity: what it says of itself, else whether it has sockets, on whichever node.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { PresenceState } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Collection, type Db, defineCollection } from '../../ports/db.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { PresenceChangedDto } from './dto.ts';

/** One identity's sockets on one node; without a node, how long what it said of itself holds. */
export interface PresenceDoc {
  _id: string;
  tenantId: number;
  identityId: number;
  nodeId: string | null;
  /** Renewed while the node lives. */
  until: Date;
}

export const presenceSpec = defineCollection<PresenceDoc>({
  name: 'presence',
  indexes: [{ keys: { tenantId: 1, identityId: 1 } }, { keys: { nodeId: 1 } }, { keys: { until: 1 } }],
});

export interface Who {
  tenantId: number;
  identityId: number;
}

export interface Said {
  presenceState: PresenceState;
  statusText: string | null;
  /** Null when it holds until the identity goes. */
  until: Date | null;
}

export interface PresenceStates {
  /** Takes what an identity says of itself; null when there is none such. */
  say(who: Who, said: Said): Promise<IdentityDoc | null>;
  /** Moves the state to what its sockets say; what was said stays while they do, unless its time is over. */
  settle(who: Who, over?: boolean): Promise<void>;
}

interface Deps {
  db: Db;
  identities: PerTenant<IdentityDoc>;
  publisher: Publisher;
  clock: Clock;
}

/** The states of identities; the same on every node. */
export function createPresenceStates({ db, identities, publisher, clock }: Deps): PresenceStates {
  const seats: Collection<PresenceDoc> = db.collection(presenceSpec);
  const isThere = async ({ tenantId, identityId }: Who) =>
    (await seats.findOne({ tenantId, identityId, nodeId: { $ne: null }, until: { $gt: new Date(clock.now()) } })) !==
    null;

  const tell = async ({ tenantId, identityId }: Who, presenceState: PresenceState, statusText: string | null) => {
    const data: PresenceChangedDto = {
      identityId,
      presenceState,
      statusText,
      atUtc: new Date(clock.now()).toISOString(),
    };
    const topics = ['identities', `identity:${identityId}`];
    await publisher.publish({ tenantId, topics, type: 'presence.changed', data });
  };

  const move = async (who: Who, online: boolean, over: boolean): Promise<void> => {
    const presenceState: PresenceState = online ? 'Present' : 'Dormant';
    // A state that the identity chose for itself while it is there, such as DeepWork, is left alone.
    const from = online && !over ? { $in: ['Dormant', 'Subconscious'] as const } : { $ne: presenceState };
    const moved = await identities(who.tenantId).findOneAndUpdate(
      { _id: who.identityId, deletedAt: null, presenceState: from },
      { $set: { presenceState } },
    );
    if (moved) await tell(who, presenceState, null);
  };

  return {
    say: async (who, { presenceState, statusText, until }) => {
      const { tenantId, identityId } = who;
      const _id = `${tenantId}/${identityId}`;
      if (until) await seats.replaceOne({ _id }, { _id, ...who, nodeId: null, until }, { upsert: true });
      else await seats.deleteOne({ _id });
      const identity = await identities(tenantId).findOneAndUpdate(
        { _id: identityId, deletedAt: null },
        { $set: { presenceState, updatedAt: new Date(clock.now()) } },
        { returnDocument: 'after' },
      );
      if (identity) await tell(who, presenceState, statusText);
      else await seats.deleteOne({ _id });
      return identity;
    },
    settle: async (who, over = false) => {
      // Another node may seat the identity between the look and the change, so it looks again.
      for (let online = await isThere(who); ; ) {
        await move(who, online, over);
        const now = await isThere(who);
        if (now === online) return;
        online = now;
      }
    },
  };
}
