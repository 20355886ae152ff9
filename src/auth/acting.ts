// The rule on acting as an identity: allowed to the identity, its person, its steward, and callers who may make its
// keys.
import type { Caller } from '../contract/caller.ts';
import { Fault } from '../kernel/fault.ts';
import type { PerTenant } from '../ports/tenanted.ts';
import type { IdentityDoc, UserDoc } from './documents.ts';
import type { Ranks } from './rank.ts';

/** The caller that wants to act. */
export type Actor = Pick<Caller, 'tenantId' | 'identityId' | 'userId'> & Partial<Pick<Caller, 'permissions' | 'rank'>>;

/** The run or chat that an agent works for: its tenant, its identity, its user. */
export interface Work {
  tenantId: number;
  identityId: number | null;
  startedByUserId: number | null;
}

export interface ActingIdentity {
  identityId: number;
  identityName: string;
}

export interface Acting {
  /**
   * Returns the identity if the actor may act as it.
   *
   * @throws Fault NOT_FOUND when it is missing or inactive; OWNERSHIP_REQUIRED
   */
  require(actor: Actor, identityId: number): Promise<ActingIdentity>;
  /**
   * Whether the actor may act as an identity; false when it is missing. Inactive ones count: they still have an
   * owner.
   */
  may(actor: Actor, identityId: number): Promise<boolean>;
  /**
   * Checks the right on an existing thing, such as a run that acts as the identity. @throws Fault OWNERSHIP_REQUIRED
   */
  allow(actor: Actor, identityId: number): Promise<void>;
  /**
   * Returns the identity if an agent may act as it in its work: as its own identity could, or as an identity of the
   * starter that is no person.
   *
   * @throws Fault NOT_FOUND, OWNERSHIP_REQUIRED
   */
  requireForWork(work: Work, identityId: number): Promise<ActingIdentity>;
  /** Identities, of those given, that the actor may act as. */
  among(actor: Actor, identities: readonly IdentityDoc[]): Promise<IdentityDoc[]>;
}

interface Deps {
  identities: PerTenant<IdentityDoc>;
  users: PerTenant<UserDoc>;
  ranks: Pick<Ranks, 'reaches'>;
}

export function createActing({ identities, users, ranks }: Deps): Acting {
  const mayAs = async (actor: Actor, identity: IdentityDoc): Promise<boolean> => {
    if (isOwn(actor, identity) || isSteward(actor, identity)) return true;
    if (!managesKeys(actor)) return false;
    const user = await users(actor.tenantId).findOne({ _id: identity.userId });
    return user !== null && ranks.reaches(actor, user);
  };

  const find = async (tenantId: number, identityId: number): Promise<IdentityDoc> => {
    const identity = await identities(tenantId).findOne({ _id: identityId, deletedAt: null, isActive: true });
    if (identity) return identity;
    throw new Fault('NOT_FOUND', `There is no active identity ${identityId}.`, {
      hint: 'List identities with GET /api/identities.',
    });
  };

  const may = async (actor: Actor, identityId: number): Promise<boolean> => {
    if (identityId === actor.identityId) return true;
    const identity = await identities(actor.tenantId).findOne({ _id: identityId });
    return identity !== null && mayAs(actor, identity);
  };

  return {
    async require(actor, identityId) {
      const identity = await find(actor.tenantId, identityId);
      if (await mayAs(actor, identity)) return toActing(identity);
      throw refused(identity.displayName);
    },
    async requireForWork({ tenantId, identityId, startedByUserId }, wanted) {
      const identity = await find(tenantId, wanted);
      if (wanted === identityId) return toActing(identity);
      const own = identityId === null ? null : await identities(tenantId).findOne({ _id: identityId });
      if (await mayAs({ tenantId, identityId, userId: own?.userId ?? null }, identity)) return toActing(identity);
      const starter = { tenantId, identityId: null, userId: startedByUserId };
      if (identity.type !== 'Human' && (await mayAs(starter, identity))) return toActing(identity);
      throw refused(identity.displayName);
    },
    may,
    async allow(actor, identityId) {
      if (await may(actor, identityId)) return;
      const identity = await identities(actor.tenantId).findOne({ _id: identityId });
      throw refused(identity?.displayName ?? `identity ${identityId}`);
    },
    async among(actor, all) {
      const others = managesKeys(actor) ? [...new Set(all.map(({ userId }) => userId))] : [];
      const found = await users(actor.tenantId)
        .find({ _id: { $in: others } })
        .toArray();
      const reached = new Set<number>();
      for (const user of found) if (managesKeys(actor) && (await ranks.reaches(actor, user))) reached.add(user._id);
      return all.filter((one) => isOwn(actor, one) || isSteward(actor, one) || reached.has(one.userId));
    },
  };
}

/** A caller who may make keys for an identity can act as it anyway. */
const managesKeys = (actor: Actor): actor is Actor & Pick<Caller, 'rank'> =>
  actor.rank !== undefined && actor.permissions?.has('ApiKeysManage') === true;

const toActing = ({ _id, name }: IdentityDoc): ActingIdentity => ({ identityId: _id, identityName: name });

const refused = (name: string) =>
  new Fault('OWNERSHIP_REQUIRED', `You may not act as ${name}.`, {
    hint: 'Act as yourself, or ask the steward of that identity; the permission ApiKeysManage opens it too.',
  });

const isOwn = ({ identityId, userId }: Actor, identity: IdentityDoc): boolean =>
  identity._id === identityId || (userId !== null && identity.userId === userId);

const isSteward = ({ identityId, userId }: Actor, identity: IdentityDoc): boolean =>
  (identityId !== null && identity.provisionedByIdentityId === identityId) ||
  (userId !== null && identity.stewardUserId === userId);
