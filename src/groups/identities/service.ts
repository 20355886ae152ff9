// Keeps identities: names unique in the tenant, each with a user behind it that carries its role.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { isLive } from '../../auth/live.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { defined } from '../fields.ts';
import { identities } from './contract.ts';
import type { People } from './people.ts';
import type { PresenceStates } from './presence-states.ts';
import { toIdentityDto } from './to-dto.ts';

export interface IdentitiesDeps {
  people: People;
  acting: Acting;
  clock: Clock;
  presence: Pick<PresenceStates, 'say'>;
}

const guid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Identities that a list of those who may be read holds at most. */
const mostReadable = 1000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const identitiesService = implement(identities, ({ people, acting, clock, presence }: IdentitiesDeps) => {
  const { keeper } = people;

  const found = (identity: IdentityDoc | null, what: string) => {
    if (identity) return toIdentityDto(identity);
    throw noIdentity(what);
  };

  /** What a reference stands for: a number, a guid, a name or a username; the first that fits. */
  const resolve = async ({ tenantId }: Caller, ref: string): Promise<IdentityDoc | null> => {
    const of = keeper.of(tenantId);
    const live = { deletedAt: null };
    const id = /^\d{1,15}$/.test(ref) ? Number(ref) : null;
    const byId = id === null ? null : await of.findOne({ _id: id, ...live });
    if (byId) return byId;
    const byGuid = guid.test(ref) ? await of.findOne({ guid: ref.toLowerCase(), ...live }) : null;
    if (byGuid) return byGuid;
    const byName = await keeper.findByName({ tenantId }, ref);
    return byName ?? of.findOne({ username: ref, ...live }, { sort: { _id: 1 } });
  };

  return {
    list: async ({ caller, query }) => {
      const filters = { tag: (tags: string) => ({ tags }) };
      const { items, totalCount } = await keeper.page(caller, query, { filters });
      return toPage(items.map(toIdentityDto), totalCount, query);
    },
    get: async ({ caller, params }) => toIdentityDto(await people.get(caller, params.id)),
    create: async ({ caller, body: { expiresAtUtc, ...body } }) =>
      toIdentityDto(await people.make(caller, { ...body, ...personalityOf(body), expiresAt: toDate(expiresAtUtc) })),
    byName: async ({ caller, params }) => found(await keeper.findByName(caller, params.name), `named ${params.name}`),
    byUser: async ({ caller, params: { userId } }) => {
      const own = await keeper
        .of(caller.tenantId)
        .find({ userId, deletedAt: null }, { sort: { _id: 1 } })
        .toArray();
      return found(own.find((one) => isLive(one, clock.now())) ?? own[0] ?? null, `of user ${userId}`);
    },
    resolve: async ({ caller, params }) => found(await resolve(caller, params.identityRef), `"${params.identityRef}"`),
    memoryReadable: async ({ caller, query: { identityId } }) => {
      const reader =
        identityId === undefined || identityId === caller.identityId ? caller : await asOther(caller, identityId);
      const all = await keeper
        .of(caller.tenantId)
        .find({ deletedAt: null, isActive: true }, { sort: { _id: 1 }, limit: mostReadable })
        .toArray();
      return (await acting.among(reader, all)).map(toIdentityDto);
    },
    patch: async ({ caller, params, body: { expiresAtUtc, ...body } }) =>
      toIdentityDto(
        await people.change(caller, params.id, {
          ...defined(body),
          ...(expiresAtUtc === undefined ? {} : { expiresAt: toDate(expiresAtUtc) }),
        }),
      ),
    replace: async ({ caller, params, body: { expiresAtUtc, ...body } }) =>
      toIdentityDto(
        await people.change(caller, params.id, {
          ...body,
          bio: body.bio ?? null,
          origin: body.origin ?? null,
          expiresAt: toDate(expiresAtUtc),
        }),
      ),
    setPresence: async ({ caller, params, body: { presenceState, statusText, untilUtc } }) => {
      await people.getToWrite(caller, params.id);
      const until = toDate(untilUtc);
      if (until && until.getTime() <= clock.now())
        throw new Fault('VALIDATION_FAILED', 'untilUtc has passed.', { hint: 'Leave it out, or name a later time.' });
      const said = { presenceState, statusText: statusText ?? null, until };
      return found(
        await presence.say({ tenantId: caller.tenantId, identityId: params.id }, said),
        `${params.id} any more`,
      );
    },
    remove: async ({ caller, params }) => {
      if (params.id === caller.identityId)
        throw new Fault('CONFLICT', 'An identity cannot delete itself.', { hint: 'Use the key of another identity.' });
      await people.remove(caller, params.id);
      return null;
    },
  };

  /** The caller's other self: an identity that they may act as, with no rights but its own. */
  async function asOther(caller: Caller, identityId: number) {
    await acting.require(caller, identityId);
    const { userId } = await keeper.get(caller, identityId);
    return { tenantId: caller.tenantId, identityId, userId };
  }
});

const personalityOf = ({ personality }: { personality?: PersonalityInput | null | undefined }) => ({
  personality: personality ? { ...personality, customInstructions: personality.customInstructions ?? null } : null,
});
type PersonalityInput = Omit<NonNullable<Parameters<People['make']>[1]['personality']>, 'customInstructions'> & {
  customInstructions?: string | null | undefined;
};
const toDate = (value: string | null | undefined) => (value == null ? null : new Date(value));
