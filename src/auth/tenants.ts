// Creation of tenants: each with its roles, an owner, and the owner's identity.
import { createHmac, randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { Ids } from '../ports/ids.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, TenantDoc, UserDoc } from './documents.ts';
import { seedSystemRoles } from './roles.ts';

/** The first tenant, the operator's. */
export const firstSlug = 'default';

export interface NewPerson {
  username: string;
  displayName: string | null;
  email: string | null;
  passwordHash: string | null;
  timezone?: string | null;
  language?: string | null;
}

export interface Tenants {
  /**
   * Creates a tenant for a person who registers and owns it.
   *
   * @throws Fault DUPLICATE when somebody has registered with the name
   */
  start(owner: NewPerson): Promise<UserDoc>;
  /** Adds a person's identity, under the first free name. */
  addIdentity(user: UserDoc): Promise<IdentityDoc>;
  /** Updates the roles and the initial data of every tenant. */
  refreshAll(): Promise<void>;
}

interface Deps {
  auth: AuthCollections;
  ids: Ids;
  clock: Clock;
  secret: string;
  /** Creates further initial data of a tenant; safe to repeat. */
  seed: (tenantId: number) => Promise<void>;
}

/** A constant's HMAC that shows later whether data was made with the same secret. */
export const secretCheckOf = (secret: string) =>
  createHmac('sha256', secret).update('rivulet secret check').digest('base64url');

export function createTenants({ auth, ids, clock, secret, seed }: Deps): Tenants {
  const addIdentity = async (user: UserDoc): Promise<IdentityDoc> => {
    for (;;) {
      const name = await freeIdentityName(auth, user.tenantId, user.displayName ?? user.username);
      const identity = personIdentity(user, name, await ids.next('identities'), new Date(clock.now()));
      try {
        await auth.identities.insertOne(identity);
        return identity;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    }
  };

  const seedTenant = async (tenant: TenantDoc) => {
    await seedSystemRoles({ auth, ids, clock }, tenant);
    await seed(tenant._id);
  };

  return {
    addIdentity,
    async start(owner) {
      const now = new Date(clock.now());
      const tenant: TenantDoc = {
        _id: await ids.next('tenants'),
        guid: randomUUID(),
        // The slug is unique: of two concurrent registrations with one name, one succeeds.
        slug: `of ${owner.username}`,
        name: owner.displayName ?? owner.username,
        secretCheck: secretCheckOf(secret),
        setupCompletedAt: now,
        createdAt: now,
      };
      await auth.tenants.insertOne(tenant).catch((cause: unknown) => {
        throw isDuplicate(cause) ? nameTaken(owner.username) : cause;
      });
      await seedTenant(tenant);
      const user = newUser(owner, { tenantId: tenant._id, role: 'Owner' }, await ids.next('users'), now);
      await auth.users.insertOne(user);
      await addIdentity(user);
      return user;
    },
    async refreshAll() {
      for await (const tenant of auth.tenants.find({}, { sort: { _id: 1 } })) await seedTenant(tenant);
    },
  };
}

export const nameTaken = (username: string) =>
  new Fault('DUPLICATE', `There is already a user named "${username}".`, { hint: 'Choose another username.' });

export function newUser(
  { username, displayName, email, passwordHash, timezone = null, language = null }: NewPerson,
  place: Pick<UserDoc, 'tenantId' | 'role'>,
  _id: number,
  createdAt: Date,
): UserDoc {
  return {
    _id,
    guid: randomUUID(),
    ...place,
    username,
    displayName,
    email,
    emailConfirmed: false,
    timezone,
    language,
    type: 'Human',
    passwordHash,
    isActive: true,
    lastLoginAt: null,
    lastSeenAt: null,
    createdAt,
    deletedAt: null,
  };
}

/** The identity that a person acts as. */
export function personIdentity(user: UserDoc, name: string, _id: number, now: Date): IdentityDoc {
  return {
    _id,
    guid: randomUUID(),
    tenantId: user.tenantId,
    userId: user._id,
    username: user.username,
    name,
    nameKey: name.toLowerCase(),
    displayName: user.displayName ?? user.username,
    bio: null,
    origin: null,
    provisionedByIdentityId: null,
    expiresAt: null,
    adoptedAt: null,
    type: 'Human',
    presenceState: 'Dormant',
    isActive: true,
    tags: [],
    personality: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}

/** The name without forbidden characters, or the first free one of `Ada 2`, `Ada 3` …. */
export async function freeIdentityName(
  { identities }: Pick<AuthCollections, 'identities'>,
  tenantId: number,
  wanted: string,
): Promise<string> {
  const plain = wanted
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .trim()
    .slice(0, 90);
  for (let number = 1; ; number++) {
    const name = number === 1 ? plain || 'Person' : `${plain || 'Person'} ${number}`;
    if (!(await identities.findOne({ tenantId, nameKey: name.toLowerCase() }))) return name;
  }
}
