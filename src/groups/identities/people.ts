// Identities as those groups write them that are about identities: found, made with a user behind them, and changed.

import { randomUUID } from 'node:crypto';
import type { Administrators } from '../../auth/administrators.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import { identityRecord } from '../../auth/collections.ts';
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { Ranks } from '../../auth/rank.ts';
import { newUser } from '../../auth/tenants.ts';
import type { Caller } from '../../contract/caller.ts';
import type { IdentityType, UserType } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { type By, createKeeper, type Keeper } from '../../ports/keeper.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Draft } from '../../ports/record.ts';
import type { Publisher } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { IdentityPersonality } from './dto.ts';
import type { WithSettings } from './settings.ts';
import { toIdentityDto } from './to-dto.ts';

export interface PeopleDeps {
  db: Db;
  auth: Pick<AuthCollections, 'users'>;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  administrators: Administrators;
  ranks: Pick<Ranks, 'require'>;
  /** Called after a change that may take rights away; sockets and caches follow. */
  accessChanged: () => void;
  /** What the plan allows; everything without it. */
  quotas?: Quotas;
  /** Keeps what the identity was like. */
  souls?: { note(identity: IdentityDoc, before: IdentityDoc | null, by: By): Promise<void> };
}

/** What a new identity is made from; the rest is plain. */
export interface NewIdentity extends Partial<WithSettings> {
  name: string;
  displayName?: string | null | undefined;
  bio?: string | null | undefined;
  origin?: string | null | undefined;
  type?: IdentityType | null | undefined;
  /** The user behind it; a new one with the role of an agent, or of a member for a person, unless given. */
  userId?: number | null | undefined;
  isActive?: boolean | null | undefined;
  expiresAt?: Date | null | undefined;
  tags?: string[] | null | undefined;
  personality?: IdentityPersonality | null | undefined;
  soul?: IdentityDoc['soul'];
  provisionedByIdentityId?: number | null | undefined;
  /** What remains to be done once it is there. */
  intent?: IdentityDoc['intent'];
}

/** Fields of an identity that may be changed. */
export type IdentityChange = Partial<Draft<IdentityDoc>>;

export interface People {
  keeper: Keeper<IdentityDoc>;
  /** @throws Fault NOT_FOUND */
  get(caller: Caller, id: number): Promise<IdentityDoc>;
  /** An identity that the caller may write on, and the user behind it. @throws Fault NOT_FOUND, FORBIDDEN */
  getToWrite(caller: Caller, id: number): Promise<Written>;
  /** @throws Fault DUPLICATE, NOT_FOUND or FORBIDDEN for its user */
  make(caller: Caller, wanted: NewIdentity): Promise<IdentityDoc>;
  /** Changes an identity that the caller may write on. @throws Fault NOT_FOUND, FORBIDDEN, LAST_OWNER */
  change(caller: Caller, id: number, to: IdentityChange | ((old: IdentityDoc) => IdentityChange)): Promise<IdentityDoc>;
  remove(caller: Caller, id: number): Promise<void>;
}

/** An identity about to be written, with the user behind it. */
export interface Written {
  identity: IdentityDoc;
  user: UserDoc;
}

const userTypes: Record<IdentityType, UserType> = { AI: 'Agent', Human: 'Human', System: 'System', Service: 'Service' };

export function createPeople(deps: PeopleDeps): People {
  const { clock, publisher } = deps;
  const users = perTenant(deps.auth.users);
  const keeper = createKeeper(identityRecord, {
    ...deps,
    told: async ({ how, doc, before, by }) => {
      if (how !== 'removed') await deps.souls?.note(doc, before, by);
      await announce(publisher, clock, how, doc);
    },
  });

  const getToWrite = async (caller: Caller, id: number): Promise<Written> => {
    const identity = await keeper.get(caller, id);
    const user = await users(caller.tenantId).findOne({ _id: identity.userId });
    if (!user) throw noIdentity(id);
    await deps.ranks.require(caller, user, `Identity ${id}`);
    return { identity, user };
  };

  /** Writes what may take an identity away from its user, unless that was the last owner. */
  const guarded = async <T>({ identity, user }: Written, ends: boolean, write: () => Promise<T>): Promise<T> => {
    if (user.role !== 'Owner' || !ends) return write();
    const { _id: identityId, tenantId, isActive, expiresAt, deletedAt, nameKey } = identity;
    const undo = () =>
      keeper.of(tenantId).updateOne({ _id: identityId }, { $set: { isActive, expiresAt, deletedAt, nameKey } });
    return deps.administrators.guard(tenantId, { identityId }, { write, undo });
  };

  return {
    keeper,
    get: (caller, id) => keeper.get(caller, id),
    getToWrite,
    async make(caller, wanted) {
      const { name, type = null } = wanted;
      const isPerson = wanted.userId == null && type === 'Human';
      await deps.quotas?.require(caller.tenantId, { ActiveIdentities: 1, ...(isPerson && { ActiveUsers: 1 }) });
      const user =
        wanted.userId == null
          ? await createUser(deps, caller, name, type ?? 'AI')
          : await findUser(deps, caller, wanted.userId);
      try {
        return await keeper.insert(caller, draftOf(caller, user, wanted));
      } catch (error) {
        if (wanted.userId == null) await users(caller.tenantId).deleteOne({ _id: user._id });
        throw error;
      }
    },
    async change(caller, id, to) {
      const written = await getToWrite(caller, id);
      const fields = typeof to === 'function' ? to(written.identity) : to;
      const returns = fields.isActive === true && !written.identity.isActive;
      if (returns) await deps.quotas?.require(caller.tenantId, { ActiveIdentities: 1 });
      const ends = fields.isActive === false || fields.expiresAt != null;
      const identity = await guarded(written, ends, () => keeper.change(caller, id, to));
      if (ends) deps.accessChanged();
      return identity;
    },
    async remove(caller, id) {
      const written = await getToWrite(caller, id);
      await guarded(written, true, async () => {
        await keeper.of(caller.tenantId).updateOne({ _id: id, deletedAt: null }, { $set: { isActive: false } });
        await keeper.remove(caller, id);
      });
      deps.accessChanged();
    },
  };
}

function draftOf(caller: Caller, user: UserDoc, wanted: NewIdentity): Draft<IdentityDoc> {
  return {
    userId: user._id,
    username: user.username,
    name: wanted.name,
    displayName: wanted.displayName ?? wanted.name,
    bio: wanted.bio ?? null,
    origin: wanted.origin ?? null,
    provisionedByIdentityId: wanted.provisionedByIdentityId ?? null,
    stewardUserId: caller.userId,
    expiresAt: wanted.expiresAt ?? null,
    adoptedAt: null,
    type: wanted.type ?? 'AI',
    presenceState: 'Dormant',
    isActive: wanted.isActive ?? true,
    tags: wanted.tags ?? [],
    personality: wanted.personality ?? null,
    tools: wanted.tools ?? null,
    work: wanted.work ?? null,
    messaging: wanted.messaging ?? null,
    memory: wanted.memory ?? null,
    hydration: wanted.hydration ?? null,
    soul: wanted.soul ?? null,
    ...(wanted.intent && { intent: wanted.intent }),
  };
}

/** The user to give an identity: oneself, or for those who write users anybody who does not rank above them. */
async function findUser({ auth, ranks }: PeopleDeps, caller: Caller, id: number): Promise<UserDoc> {
  const user = await auth.users.findOne({ _id: id, tenantId: caller.tenantId });
  if (!user)
    throw new Fault('NOT_FOUND', `There is no user ${id}.`, {
      hint: 'Leave userId out to have a user made for the identity.',
    });
  if (id === caller.userId) return user;
  await ranks.require(caller, user, `User ${id}`);
  if (!caller.permissions.has('UsersWrite'))
    throw new Fault('FORBIDDEN', 'You may not make identities for somebody else.', {
      hint: 'Leave userId out, or ask for the permission UsersWrite.',
    });
  return user;
}

/** A user without a password, so that the identity has a role; its name follows the identity's. */
async function createUser(deps: PeopleDeps, caller: Caller, name: string, type: IdentityType): Promise<UserDoc> {
  const guid = randomUUID();
  const username = `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${guid.slice(0, 8)}`;
  const made = newUser(
    { username, displayName: name, email: null, passwordHash: null },
    { tenantId: caller.tenantId, role: type === 'Human' ? 'Member' : 'Agent' },
    await deps.ids.next('users'),
    new Date(deps.clock.now()),
  );
  const user: UserDoc = { ...made, guid, type: userTypes[type] };
  await deps.auth.users.insertOne(user);
  noteWrite(caller, { kind: 'user', how: 'created', doc: user, before: null });
  return user;
}

function announce(
  publisher: Publisher,
  clock: Clock,
  how: 'created' | 'changed' | 'removed',
  identity: IdentityDoc,
): Promise<void> {
  const { _id: id, tenantId } = identity;
  const about = { tenantId, topics: ['identities', `identity:${id}`], durable: true };
  if (how !== 'removed')
    return publisher.publish({ ...about, type: 'identity.updated', data: toIdentityDto(identity) });
  const data = { kind: 'Identity', id, atUtc: new Date(clock.now()).toISOString() };
  return publisher.publish({ ...about, type: 'identity.deleted', data });
}
