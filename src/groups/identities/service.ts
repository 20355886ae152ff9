// Keeps identities: names unique in the tenant, each with a user behind it that carries its role.
import { randomUUID } from 'node:crypto';
import type { Administrators } from '../../auth/administrators.ts';
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import type { Ranks } from '../../auth/rank.ts';
import type { Caller } from '../../contract/caller.ts';
import type { IdentityType, UserType } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { contains, type Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { defined } from '../fields.ts';
import { identities } from './contract.ts';
import type { PresenceStates } from './presence-states.ts';
import { toIdentityDto } from './to-dto.ts';

export interface IdentitiesDeps {
  identities: PerTenant<IdentityDoc>;
  users: PerTenant<UserDoc>;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  presence: Pick<PresenceStates, 'say'>;
  administrators: Administrators;
  ranks: Pick<Ranks, 'require'>;
  /** Called after a change that may take rights away; sockets and caches follow. */
  accessChanged: () => void;
}

/** An identity about to be written, with the user behind it. */
interface Written {
  identity: IdentityDoc;
  user: UserDoc;
}

const userTypes: Record<IdentityType, UserType> = { AI: 'Agent', Human: 'Human', System: 'System', Service: 'Service' };

export const identitiesService = implement(identities, (deps: IdentitiesDeps) => {
  const { clock, ids } = deps;
  const of = (caller: Caller) => deps.identities(caller.tenantId);

  const find = async (caller: Caller, id: number) => {
    const identity = await of(caller).findOne({ _id: id, deletedAt: null });
    if (!identity) throw missing(id);
    return identity;
  };

  /** An identity that the caller may write on. */
  const findToWrite = async (caller: Caller, id: number) => {
    const identity = await find(caller, id);
    const user = await deps.users(caller.tenantId).findOne({ _id: identity.userId });
    if (!user) throw missing(id);
    await deps.ranks.require(caller, user, `Identity ${id}`);
    return { identity, user };
  };

  /** Writes fields that may take an identity away from its user, unless that was the last owner. */
  const disable = async <T>({ identity, user }: Written, fields: Partial<IdentityDoc>, write: () => Promise<T>) => {
    const { _id: identityId, tenantId, isActive, expiresAt, deletedAt, nameKey } = identity;
    const ends = fields.isActive === false || fields.expiresAt != null || fields.deletedAt != null;
    if (user.role !== 'Owner' || !ends) return write();
    const undo = () =>
      deps
        .identities(tenantId)
        .updateOne(
          { _id: identityId },
          { $set: { isActive, expiresAt, deletedAt, ...(deletedAt ? {} : { nameKey }) } },
        );
    return deps.administrators.guard(tenantId, { identityId }, { write, undo });
  };

  const change = async (caller: Caller, id: number, fields: Partial<IdentityDoc>) => {
    const written = await findToWrite(caller, id);
    const renamed = fields.name === undefined ? {} : { nameKey: fields.name.toLowerCase() };
    const $set = { ...fields, ...renamed, updatedAt: new Date(clock.now()) };
    const identity = await disable(written, fields, () =>
      of(caller).findOneAndUpdate({ _id: id, deletedAt: null }, { $set }, { returnDocument: 'after' }),
    );
    if (!identity)
      throw new Fault('NOT_FOUND', `There is no identity ${id}.`, { hint: 'It was deleted a moment ago.' });
    if (fields.isActive === false || fields.expiresAt) deps.accessChanged();
    await announce(deps, identity);
    return toIdentityDto(identity);
  };

  return {
    list: async ({ caller, query }) => {
      const { items, totalCount } = await pageOf(of(caller), {
        ...query,
        filter: toFilter(query),
        sort: sortOf(query.sort ?? 'id'),
      });
      return toPage(items.map(toIdentityDto), totalCount, query);
    },
    create: async ({ caller, body }) => {
      const now = new Date(clock.now());
      const type = body.type ?? 'AI';
      const user =
        body.userId == null
          ? await createUser(deps, caller, body.name, type)
          : await findUser(deps, caller, body.userId);
      const identity: IdentityDoc = {
        _id: await ids.next('identities'),
        guid: randomUUID(),
        tenantId: caller.tenantId,
        userId: user._id,
        username: user.username,
        name: body.name,
        nameKey: body.name.toLowerCase(),
        displayName: body.displayName ?? body.name,
        bio: body.bio ?? null,
        origin: body.origin ?? null,
        provisionedByIdentityId: null,
        stewardUserId: caller.userId,
        expiresAt: body.expiresAtUtc == null ? null : new Date(body.expiresAtUtc),
        adoptedAt: null,
        type,
        presenceState: 'Dormant',
        isActive: body.isActive ?? true,
        tags: body.tags ?? [],
        personality: body.personality ?? null,
        createdAt: now,
        updatedAt: now,
        deletedAt: null,
      };
      await of(caller)
        .insertOne(identity)
        .catch(async (error) => {
          if (body.userId == null) await deps.users(caller.tenantId).deleteOne({ _id: user._id });
          throw isDuplicate(error)
            ? new Fault('DUPLICATE', `There is an identity named ${body.name} already.`, {
                hint: 'Choose another name.',
              })
            : error;
        });
      await announce(deps, identity);
      return toIdentityDto(identity);
    },
    get: async ({ caller, params }) => toIdentityDto(await find(caller, params.id)),
    patch: ({ caller, params, body: { expiresAtUtc, ...body } }) =>
      change(caller, params.id, {
        ...defined(body),
        ...(expiresAtUtc === undefined ? {} : { expiresAt: toDate(expiresAtUtc) }),
      }),
    replace: ({ caller, params, body: { expiresAtUtc, ...body } }) =>
      change(caller, params.id, {
        ...body,
        bio: body.bio ?? null,
        origin: body.origin ?? null,
        expiresAt: toDate(expiresAtUtc),
      }),
    setPresence: async ({ caller, params, body: { presenceState, statusText, untilUtc } }) => {
      await findToWrite(caller, params.id);
      const until = toDate(untilUtc);
      if (until && until.getTime() <= clock.now())
        throw new Fault('VALIDATION_FAILED', 'untilUtc has passed.', { hint: 'Leave it out, or name a later time.' });
      const said = { presenceState, statusText: statusText ?? null, until };
      const identity = await deps.presence.say({ tenantId: caller.tenantId, identityId: params.id }, said);
      if (!identity) throw missing(params.id);
      return toIdentityDto(identity);
    },
    remove: async ({ caller, params }) => {
      if (params.id === caller.identityId)
        throw new Fault('CONFLICT', 'An identity cannot delete itself.', { hint: 'Use the key of another identity.' });
      const written = await findToWrite(caller, params.id);
      const { identity } = written;
      // The name is freed for a new identity; history keeps pointing to this one.
      const $set = {
        deletedAt: new Date(clock.now()),
        isActive: false,
        nameKey: `${identity.nameKey} ${identity.guid}`,
      };
      await disable(written, $set, () => of(caller).updateOne({ _id: params.id }, { $set }));
      deps.accessChanged();
      await deps.publisher.publish({
        tenantId: caller.tenantId,
        topics: ['identities', `identity:${params.id}`],
        type: 'identity.deleted',
        data: { kind: 'Identity', id: params.id, atUtc: new Date(clock.now()).toISOString() },
        durable: true,
      });
      return null;
    },
  };
});

interface ListFilters {
  q?: string | undefined;
  tag?: string | undefined;
  type?: IdentityType | undefined;
  presenceState?: IdentityDoc['presenceState'] | undefined;
  isActive?: boolean | undefined;
  userId?: number | undefined;
  provisionedByIdentityId?: number | undefined;
}

function toFilter({
  q,
  tag,
  type,
  presenceState,
  isActive,
  userId,
  provisionedByIdentityId,
}: ListFilters): Filter<IdentityDoc> {
  const equal = defined({ type, presenceState, isActive, userId, provisionedByIdentityId });
  return {
    ...equal,
    deletedAt: null,
    ...(tag === undefined ? {} : { tags: tag }),
    ...(q === undefined
      ? {}
      : { $or: ['name', 'displayName'].map((field) => ({ [field]: { $regex: contains(q), $options: 'i' } })) }),
  } as Filter<IdentityDoc>;
}

/** The user to give an identity: oneself, or for those who write users anybody who does not rank above them. */
async function findUser(deps: IdentitiesDeps, caller: Caller, id: number): Promise<UserDoc> {
  const user = await deps.users(caller.tenantId).findOne({ _id: id });
  if (!user)
    throw new Fault('NOT_FOUND', `There is no user ${id}.`, {
      hint: 'Leave userId out to have a user made for the identity.',
    });
  if (id === caller.userId) return user;
  await deps.ranks.require(caller, user, `User ${id}`);
  if (!caller.permissions.has('UsersWrite'))
    throw new Fault('FORBIDDEN', 'You may not make identities for somebody else.', {
      hint: 'Leave userId out, or ask for the permission UsersWrite.',
    });
  return user;
}

/** A user without a password, so that the identity has a role; its name follows the identity's. */
async function createUser(deps: IdentitiesDeps, caller: Caller, name: string, type: IdentityType): Promise<UserDoc> {
  const guid = randomUUID();
  const user: UserDoc = {
    _id: await deps.ids.next('users'),
    guid,
    tenantId: caller.tenantId,
    username: `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${guid.slice(0, 8)}`,
    displayName: name,
    email: null,
    type: userTypes[type],
    role: type === 'Human' ? 'Member' : 'Agent',
    passwordHash: null,
    isActive: true,
    lastLoginAt: null,
    lastSeenAt: null,
    createdAt: new Date(deps.clock.now()),
  };
  await deps.users(caller.tenantId).insertOne(user);
  return user;
}

function announce(deps: IdentitiesDeps, identity: IdentityDoc): Promise<void> {
  return deps.publisher.publish({
    tenantId: identity.tenantId,
    topics: ['identities', `identity:${identity._id}`],
    type: 'identity.updated',
    data: toIdentityDto(identity),
    durable: true,
  });
}

const missing = (id: number) =>
  new Fault('NOT_FOUND', `There is no identity ${id}.`, { hint: 'List identities with GET /api/identities.' });
const toDate = (value: string | null | undefined) => (value == null ? null : new Date(value));
