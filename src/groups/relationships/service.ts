// Says how identities see each other; whoever may act as an identity writes how it sees others.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { namedIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { RelationshipType } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { contains, type Filter } from '../../ports/db.ts';
import { inSpan } from '../../ports/in-span.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { given } from '../fields.ts';
import { namesOf } from '../identity-names.ts';
import type { RelationshipBook } from './book.ts';
import { relationships } from './contract.ts';
import { RelationshipDto, RelationshipInteractionDto } from './dto.ts';
import type { InteractionDoc, RelationshipDoc } from './record.ts';

export interface RelationshipsDeps {
  book: RelationshipBook;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
  clock: Clock;
}

interface Scores {
  trust?: number | null | undefined;
  familiarity?: number | null | undefined;
  sentiment?: number | null | undefined;
}

/** The other side of a type; those that are not named are the same from both sides. */
const mirrored: Partial<Record<RelationshipType, RelationshipType>> = {
  Supervisor: 'Subordinate',
  Subordinate: 'Supervisor',
  Mentor: 'Mentee',
  Mentee: 'Mentor',
};

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const relationshipsService = implement(relationships, (deps: RelationshipsDeps) => {
  const { book, identities, acting, clock } = deps;
  const { keeper, interactions } = book;

  const show = async (
    caller: Pick<Caller, 'tenantId'>,
    list: readonly RelationshipDoc[],
  ): Promise<RelationshipDto[]> => {
    const ids = list.flatMap((one) => [one.identityId, one.otherIdentityId]);
    const names = await namesOf(identities, caller.tenantId, ids);
    return list.map((one) =>
      shown(RelationshipDto, one, {
        ...book.today(one),
        identityName: names.get(one.identityId) ?? '',
        otherIdentityName: names.get(one.otherIdentityId) ?? '',
      }),
    );
  };
  const showOne = async (caller: Caller, one: RelationshipDoc) => (await show(caller, [one]))[0] as RelationshipDto;

  const getToWrite = async (caller: Caller, id: number) => {
    const one = await keeper.get(caller, id);
    await acting.allow(caller, one.identityId);
    return one;
  };

  /** Scores that somebody sets hold from now on. */
  const scored = (one: RelationshipDoc, scores: Scores) => ({
    ...book.today(one),
    ...given({ trust: scores.trust, familiarity: scores.familiarity, sentiment: scores.sentiment }),
    scoredAt: new Date(clock.now()),
    version: one.version + 1,
  });

  const set = async (caller: Caller, pair: Pair, said: Scores & { type: RelationshipType; notes?: string | null }) => {
    const one = await book.open({ ...pair, tenantId: caller.tenantId }, said.type);
    return keeper.change(
      caller,
      one._id,
      (old) => ({ ...scored(old, said), type: said.type, ...(said.notes === undefined ? {} : { notes: said.notes }) }),
      { expecting: ['version'] },
    );
  };

  return {
    list: async ({ caller, params: { identityId }, query: { minTrust, q, ...query } }) => {
      await namedIdentity(identities, caller, identityId);
      const within = {
        identityId,
        ...(minTrust === undefined ? {} : { trust: { $gte: minTrust } }),
        ...(q === undefined ? {} : { otherIdentityId: { $in: await named(caller, q) } }),
      } as Filter<RelationshipDoc>;
      const { items, totalCount } = await keeper.page(caller, query, { within });
      return toPage(await show(caller, items), totalCount, query);
    },
    set: async ({ caller, params: { identityId }, body: { otherIdentityId, mutual, ...body } }) => {
      await namedIdentity(identities, caller, identityId);
      await namedIdentity(identities, caller, otherIdentityId);
      await acting.allow(caller, identityId);
      if (mutual) await acting.allow(caller, otherIdentityId);
      if (identityId === otherIdentityId)
        throw new Fault('VALIDATION_FAILED', 'An identity has no relationship to itself.', {
          hint: 'Name another one.',
        });
      const said = { ...given(body), type: body.type, ...(body.notes === undefined ? {} : { notes: body.notes }) };
      const one = await set(caller, { identityId, otherIdentityId }, said);
      if (mutual) {
        const back = { ...said, type: mirrored[body.type] ?? body.type };
        await set(caller, { identityId: otherIdentityId, otherIdentityId: identityId }, back);
      }
      return showOne(caller, one);
    },
    get: async ({ caller, params }) => showOne(caller, await keeper.get(caller, params.id)),
    patch: async ({ caller, params, body: { type, notes, ...scores } }) => {
      await getToWrite(caller, params.id);
      const change = (old: RelationshipDoc) => ({
        ...scored(old, scores),
        ...(type === undefined ? {} : { type }),
        ...(notes === undefined ? {} : { notes }),
      });
      return showOne(caller, await keeper.change(caller, params.id, change, { expecting: ['version'] }));
    },
    remove: async ({ caller, params }) => {
      await getToWrite(caller, params.id);
      await keeper.remove(caller, params.id);
      await interactions.of(caller.tenantId).deleteMany({ relationshipId: params.id });
      return null;
    },
    interactions: async ({ caller, params, query: { fromUtc, toUtc, ...query } }) => {
      const { _id: relationshipId } = await keeper.get(caller, params.id);
      const within = { relationshipId, ...inSpan('occurredAt', fromUtc, toUtc) };
      const { items, totalCount } = await interactions.page(caller, query, {
        within: within as Filter<InteractionDoc>,
      });
      return toPage(items.map(toInteractionDto), totalCount, query);
    },
    interact: async ({ caller, params, body: { occurredAtUtc, ...body } }) => {
      const one = await getToWrite(caller, params.id);
      const at = occurredAtUtc == null ? new Date(clock.now()) : new Date(occurredAtUtc);
      if (at.getTime() > clock.now())
        throw new Fault('VALIDATION_FAILED', 'occurredAtUtc lies in the future.', {
          hint: 'Record what has happened.',
        });
      const interaction = await book.happen(one, { ...body, at, key: null });
      return toInteractionDto(interaction as InteractionDoc);
    },
    between: async ({ caller, params }) => {
      const { identityId, otherIdentityId } = params;
      const one = await book.find({ tenantId: caller.tenantId, identityId, otherIdentityId });
      if (one) return showOne(caller, one);
      throw new Fault('NOT_FOUND', `Identity ${identityId} has no relationship to identity ${otherIdentityId}.`, {
        hint: `Make one with POST /api/identities/${identityId}/relationships.`,
      });
    },
  };

  /** Identities whose names hold a text. */
  async function named({ tenantId }: Caller, q: string): Promise<number[]> {
    const text = { $regex: contains(q), $options: 'i' as const };
    const found = await identities(tenantId)
      .find({ $or: [{ name: text }, { displayName: text }] }, { projection: { _id: 1 }, limit: 500 })
      .toArray();
    return found.map((one) => one._id);
  }
});

interface Pair {
  identityId: number;
  otherIdentityId: number;
}

const toInteractionDto = (one: InteractionDoc): RelationshipInteractionDto => shown(RelationshipInteractionDto, one);
