// The documents of personal memories with their indexes: what a person keeps, shares and forgets, and whom it is told.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createLru } from '../../kernel/lru.ts';
import { endsAt, unexpired } from '../../memory/expiry.ts';
import { createFinder } from '../../memory/finder.ts';
import { unindexed } from '../../memory/kinds.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { type PersonalMemoryDoc, personalKind, type SuggestionDoc } from './record.ts';

export interface PersonalDeps {
  memories: Keeper<PersonalMemoryDoc>;
  suggestions: Keeper<SuggestionDoc>;
  identities: PerTenant<IdentityDoc>;
  indexes: Indexes;
  clock: Clock;
}

type Said = Pick<PersonalMemoryDoc, 'userId' | 'content'> & Partial<PersonalMemoryDoc>;

const plain = {
  title: null,
  category: 'Other' as const,
  importance: 5,
  visibility: 'Private' as const,
  identityIds: [],
  tags: [],
  sourceIdentityId: null,
  sourceChatSessionId: null,
  expiresAt: null,
};

/** Whom an agent works for, as whom, and in which run or chat. */
export interface Viewer {
  tenantId: number;
  userId: number | null;
  identityId: number | null;
  runId: number | null;
  chatSessionId: number | null;
}

/** Uses that are remembered, so that a run is told of a memory at each turn and counts as one use of it. */
const usesRemembered = 20_000;

/** Memories that an agent is told of at once. */
const toldAtMost = 20;

export function createPersonalBook({ memories, identities, indexes, clock }: PersonalDeps) {
  const finder = createFinder<PersonalMemoryDoc>({ ...indexes, clock }, personalKind);
  const open = () => unexpired<PersonalMemoryDoc>(clock.now());
  const used = createLru<string, true>(usesRemembered);

  return {
    finder,
    open,
    async remember(by: By, said: Said): Promise<PersonalMemoryDoc> {
      const fresh = {
        ...plain,
        ...said,
        endsAt: endsAt(said.expiresAt),
        ...unindexed,
        usedCount: 0,
        lastUsedAt: null,
        lastUsedByName: null,
      };
      const memory = await memories.insert(by, fresh);
      await finder.index(memory);
      return memory;
    },
    /** Removes documents and what the indexes have of them. */
    async forget(by: By, ids: readonly number[]): Promise<void> {
      for (const id of ids) await memories.remove(by, id).catch(() => null);
      await finder.forget(by.tenantId, ids);
      await indexes.scrub?.();
    },
    /** What an agent that works for the person may see, the most important first; used once a run or chat. */
    async seenBy({ tenantId, userId, identityId, runId, chatSessionId }: Viewer): Promise<PersonalMemoryDoc[]> {
      if (userId === null || identityId === null) return [];
      const identity = await identities(tenantId).findOne({ _id: identityId, deletedAt: null });
      if (!identity || (identity.userId !== userId && identity.stewardUserId !== userId)) return [];
      const found = await memories
        .of(tenantId)
        .find(
          { userId, visibility: { $in: ['AllMyIdentities', 'SelectedIdentities'] }, ...open() },
          { sort: { importance: -1, _id: -1 }, limit: 200 },
        )
        .toArray();
      const seen = found
        .filter((one) => one.visibility === 'AllMyIdentities' || one.identityIds.includes(identityId))
        .slice(0, toldAtMost);
      const uses = seen
        .map(({ _id }) => [_id, `${runId} ${chatSessionId} ${_id}`] as const)
        .filter(([, use]) => !used.has(use));
      if (uses.length > 0) {
        const $set = { lastUsedAt: new Date(clock.now()), lastUsedByName: identity.displayName };
        const which = { _id: { $in: uses.map(([id]) => id) } };
        await memories.of(tenantId).updateMany(which, { $set, $inc: { usedCount: 1 } });
        for (const [, use] of uses) used.set(use, true);
      }
      return seen;
    },
  };
}
export type PersonalBook = ReturnType<typeof createPersonalBook>;
