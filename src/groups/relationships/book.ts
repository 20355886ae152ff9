// Keeps how identities see each other: what happens between them is written down first, then moves the relationship.
import type { InteractionKind, RelationshipType } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Bonds } from '../../ports/bonds.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import type { Repairs } from '../../ports/repairs.ts';
import { type InteractionDoc, interactionRecord, type RelationshipDoc, relationshipRecord } from './record.ts';
import { type Bond, faded, moved, stranger, usualSentiment } from './rule.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  repairs: Repairs;
}

interface Happened {
  kind: InteractionKind;
  summary: string;
  sentiment?: number | null | undefined;
  weight?: number | null | undefined;
  runId?: number | null | undefined;
  messageId?: number | null | undefined;
  at: Date;
  key: string | null;
}

interface Pair {
  tenantId: number;
  identityId: number;
  otherIdentityId: number;
}

/** Interactions that a relationship remembers to have taken up: many more than may be in flight. */
const remembered = 64;

export type RelationshipBook = ReturnType<typeof createRelationshipBook>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createRelationshipBook({ repairs, ...deps }: Deps) {
  const { clock } = deps;
  const keeper = createKeeper(relationshipRecord, deps);
  const interactions = createKeeper(interactionRecord, deps);

  /** The scores as they are now. */
  const today = (one: RelationshipDoc, now = clock.now()): Bond => faded(one, now - one.scoredAt.getTime());

  /** Lets an interaction move its relationship, at most once, whoever else writes meanwhile. */
  const apply = async (interaction: InteractionDoc): Promise<void> => {
    const { _id, tenantId, relationshipId, kind, sentiment, weight, occurredAt } = interaction;
    for (;;) {
      const one = await keeper.find({ tenantId }, relationshipId);
      if (!one || one.applied.includes(_id)) return;
      const now = clock.now();
      const after = moved(today(one, now), { kind, sentiment, weight });
      const last = one.lastInteractionAt && one.lastInteractionAt > occurredAt ? one.lastInteractionAt : occurredAt;
      const $set = {
        ...after,
        scoredAt: new Date(now),
        applied: [...one.applied, _id].slice(-remembered),
        version: one.version + 1,
        interactionCount: one.interactionCount + 1,
        lastInteractionAt: last,
        updatedAt: new Date(now),
      };
      const changed = await keeper.of(tenantId).updateOne({ _id: relationshipId, version: one.version }, { $set });
      if (changed.matchedCount === 0) continue;
      // The history says what it led to.
      const said = { trustAfter: after.trust, familiarityAfter: after.familiarity };
      await interactions.of(tenantId).updateOne({ _id }, { $set: said });
      return;
    }
  };
  repairs.register<InteractionDoc, null>({
    collection: interactionRecord.spec,
    kind: 'relationship.move',
    complete: (interaction) => apply(interaction),
  });

  const find = ({ tenantId, identityId, otherIdentityId }: Pair) =>
    keeper.of(tenantId).findOne({ identityId, otherIdentityId });

  /** The relationship of a pair, made as one of strangers where there is none. */
  const open = async (pair: Pair, type: RelationshipType = 'Peer'): Promise<RelationshipDoc> => {
    const known = await find(pair);
    if (known) return known;
    const fresh = { ...stranger, notes: null, interactionCount: 0, lastInteractionAt: null, applied: [], version: 1 };
    try {
      const { identityId, otherIdentityId } = pair;
      const draft = { ...fresh, identityId, otherIdentityId, type, scoredAt: new Date(clock.now()) };
      return await keeper.insert(pair, draft);
    } catch (error) {
      const other = isDuplicate(error) ? await find(pair) : null;
      if (other) return other;
      throw error;
    }
  };

  const happen = async (one: RelationshipDoc, about: Happened): Promise<InteractionDoc | null> => {
    const before = today(one);
    const { tenantId } = one;
    try {
      const interaction = await interactions.insert(one, {
        relationshipId: one._id,
        kind: about.kind,
        summary: about.summary,
        sentiment: about.sentiment ?? usualSentiment(about.kind),
        weight: about.weight ?? 1,
        trustAfter: before.trust,
        familiarityAfter: before.familiarity,
        runId: about.runId ?? null,
        messageId: about.messageId ?? null,
        occurredAt: about.at,
        key: about.key,
        intent: repairs.intent('relationship.move', null),
      });
      await repairs.settle(interactionRecord.spec, interaction);
      return interactions.of(tenantId).findOne({ _id: interaction._id });
    } catch (error) {
      // Told before, under the same key.
      if (about.key !== null && isDuplicate(error)) return null;
      throw error;
    }
  };

  const bonds: Bonds = {
    async note({ tenantId, from, to, ...about }) {
      if (from === to) return;
      await happen(await open({ tenantId, identityId: from, otherIdentityId: to }), about);
    },
  };

  return {
    keeper,
    interactions,
    bonds,
    today,
    find,
    open,
    happen,
  };
}
