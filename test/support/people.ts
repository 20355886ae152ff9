// Fills a data folder before its server starts: further tenants, and people of every role with keys of their own.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UserDoc } from '../../src/auth/documents.ts';
import { createAccessTokens } from '../../src/auth/jwt.ts';
import { hashSecret, newKey, visibleParts } from '../../src/auth/keys.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { setUp } from '../../src/auth/setup.ts';
import { createSignInLinks } from '../../src/auth/sign-in-links.ts';
import { personIdentity } from '../../src/auth/tenants.ts';
import { loadConfig } from '../../src/config.ts';
import type { Permission, UserRole } from '../../src/contract/enums.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { silentLogger as log } from '../../src/kernel/logger.ts';
import { createPolicies } from '../../src/ports/tenant-policy.ts';
import { openStorage, type Storage } from '../../src/wiring/storage.ts';
import { putEmptyStore } from './empty-store.ts';
import { type Answer, adminKey, request, startTestServer } from './test-server.ts';

export interface Person {
  tenantId: number;
  userId: number;
  identityId: number;
  key: string;
}

export interface Seed {
  storage: Storage;
  /** Makes what is missing of a tenant, with an owner whose key is `adminKey`. */
  tenant(slug: string, adminKey: string): Promise<Person>;
  /** Adds a person with an identity and a key, which is unscoped unless scopes are given. */
  person(tenantId: number, name: string, role: UserRole, scopes?: readonly Permission[]): Promise<Person>;
}

/** Opens the store of a data folder for `work`, with no server on it. */
export async function seedStore<T>(dataDir: string, work: (seed: Seed) => Promise<T>): Promise<T> {
  if ((await readdir(dataDir)).length === 0) await putEmptyStore(dataDir);
  const clock = systemClock;
  const config = loadConfig({ RIVULET_DATA: dataDir });
  const storage = await openStorage({ config, clock, log, durable: false });
  const { auth, db, ids } = storage;
  const policies = createPolicies({ db, clock });
  const tokens = createAccessTokens({ secret: config.secret, clock });
  const links = createSignInLinks({ secret: config.secret, clock });
  const sessions = createSessions({ auth, ids, tokens, links, policies, clock, accessChanged: () => {} });
  const deps = { auth, ids, clock, secret: config.secret, sessions };
  try {
    return await work({
      storage,
      tenant: async (slug, adminKey) => {
        const { tenantId, administrator } = await setUp(deps, { slug, adminKey });
        return { tenantId, userId: administrator.userId, identityId: administrator._id, key: adminKey };
      },
      person: (...who) => addPerson(storage, ...who),
    });
  } finally {
    await storage.close();
  }
}

async function addPerson(
  { auth, ids }: Storage,
  tenantId: number,
  name: string,
  role: UserRole,
  scopes: readonly Permission[] = [],
): Promise<Person> {
  const now = new Date();
  const key = newKey();
  const user: UserDoc = {
    _id: await ids.next('users'),
    guid: randomUUID(),
    tenantId,
    username: `${name.toLowerCase()}-person`,
    displayName: name,
    email: null,
    type: 'Human',
    role,
    passwordHash: null,
    isActive: true,
    lastLoginAt: null,
    lastSeenAt: null,
    createdAt: now,
  };
  await auth.users.insertOne(user);
  const identityId = await ids.next('identities');
  await auth.identities.insertOne(personIdentity(user, name, identityId, now));
  await auth.keys.insertOne({
    _id: await ids.next('api_keys'),
    guid: randomUUID(),
    tenantId,
    identityId,
    name: 'own',
    hash: hashSecret(key),
    ...visibleParts(key),
    scopes: [...scopes],
    source: 'api',
    expiresAt: null,
    lastUsedAt: null,
    lastUsedIp: null,
    rotatedFromKeyId: null,
    revokedAt: null,
    createdByUserId: user._id,
    createdAt: now,
  });
  return { tenantId, userId: user._id, identityId, key };
}

interface PeopleOptions {
  environment?: Record<string, string>;
  scopes?: readonly Permission[];
  /** The server's. */
  clock?: Clock;
}

/**
 * A server with its owner (`owner`) and a person of each role, called like it, and others by name. `as` makes a request
 * with the key of one of them; `close` deletes the data folder, too.
 */
export async function startWithPeople(
  roles: readonly UserRole[],
  others: Readonly<Record<string, UserRole>> = {},
  { environment = {}, scopes = [], clock }: PeopleOptions = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-people-'));
  const people: Record<string, Person> = {};
  await seedStore(folder, async ({ tenant, person }) => {
    const owner = await tenant('default', adminKey);
    people.owner = owner;
    for (const role of roles) people[role] = await person(owner.tenantId, role, role, scopes);
    for (const [name, role] of Object.entries(others)) people[name] = await person(owner.tenantId, name, role, scopes);
  });
  const server = await startTestServer({ ...environment, RIVULET_DATA: folder }, null, clock);
  const person = (name: string) => people[name] as Person;
  return {
    server,
    person,
    as: (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
      request(server.url, method, path, body, { authorization: `Bearer ${person(who).key}` }),
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
