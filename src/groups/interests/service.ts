// Shows and replaces interests; what is inferred from private memories stays with those who may read them.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { namedIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { type Interests, keyOf } from './book.ts';
import { interests as group } from './contract.ts';
import { InterestDto } from './dto.ts';

interface Deps {
  book: Interests;
  acting: Acting;
  identities: PerTenant<IdentityDoc>;
}

export const interestsService = implement(group, ({ book, acting, identities }: Deps) => {
  const listOf = async (caller: Caller, identityId: number) => {
    const own = await acting.may(caller, identityId);
    const all = await book.of(caller.tenantId, identityId);
    return all.filter(({ source }) => own || source === 'Declared').map((one) => shown(InterestDto, one));
  };
  return {
    list: async ({ caller, params, query: { source, minWeight = 0, limit } }) => {
      await namedIdentity(identities, caller, params.identityId);
      const all = await listOf(caller, params.identityId);
      return all.filter((one) => (!source || one.source === source) && one.weight >= minWeight).slice(0, limit);
    },
    replace: async ({ caller, params, body }) => {
      const { identityId } = params;
      await namedIdentity(identities, caller, identityId);
      await acting.allow(caller, identityId);
      const topics = new Map(body.interests.map((one) => [keyOf(one.topic), one]));
      const of = book.keeper.of(caller.tenantId);
      const kept = body.keepInferred === false ? {} : { source: 'Declared' as const };
      const before = await of.find({ identityId, ...kept }).toArray();
      for (const old of before)
        if (old.source === 'Inferred' || !topics.has(old.topicKey)) await book.keeper.remove(caller, old._id);
      for (const [topicKey, { topic, weight, notes }] of topics) {
        const fields = { topic, weight: weight ?? 1, notes: notes ?? null };
        const there = before.find((old) => old.source === 'Declared' && old.topicKey === topicKey);
        if (there) await book.keeper.change(caller, there._id, fields);
        else {
          const fresh = { identityId, topicKey, source: 'Declared' as const, mentionCount: 0, lastReinforcedAt: null };
          await book.keeper.insert(caller, { ...fresh, ...fields });
        }
      }
      return listOf(caller, identityId);
    },
  };
});
