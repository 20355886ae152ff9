// First boot: creates the tenant, the administrator, its identity and key; every step may be repeated after a crash.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { Ids } from '../ports/ids.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, KeyDoc, TenantDoc, UserDoc } from './documents.ts';
import { hashSecret, newKey, visibleParts } from './keys.ts';
import { isLive } from './live.ts';
import { seedSystemRoles } from './roles.ts';
import type { Sessions } from './sessions.ts';
import { firstSlug, freeIdentityName, newUser, personIdentity, secretCheckOf } from './tenants.ts';

interface Deps {
  auth: AuthCollections;
  ids: Ids;
  sessions: Sessions;
  clock: Clock;
  secret: string;
  /** Which store it is: on MongoDB another node may boot at the same moment. */
  kind?: 'MongoDB' | 'embedded';
  /** Secrets before this one: data that still needs them is accepted. */
  previousSecrets?: readonly string[];
}

export interface SetupResult {
  tenantId: number;
  administrator: IdentityDoc;
  /** Credentials of the first boot; null on later ones. */
  firstBoot: { adminKey: string | null; signInToken: string } | null;
  /** Call after the credentials were shown; until then each boot makes new ones. */
  complete(): Promise<void>;
}

/** Milliseconds for which a node that boots at the same moment may still show the key that it has made. */
const besideMs = 60_000;

/**
 * Creates what a tenant and its administrator lack, and updates the environment's key.
 *
 * @param adminKey - `RIVULET_ADMIN_KEY`: accepted as the administrator's key while it is set, even after the
 * administrator was disabled, demoted or deleted: the account is then restored
 * @throws Fault CONFLICT when the data was made with another secret
 */
export async function setUp(deps: Deps, options: { slug?: string; adminKey: string | null }): Promise<SetupResult> {
  const tenant = await ensureTenant(deps, options.slug ?? firstSlug);
  await seedSystemRoles(deps, tenant);
  const opens = options.adminKey !== null;
  const user = await ensureAdministrator(deps, tenant, opens);
  const administrator = await ensureIdentity(deps, user, opens);
  await syncEnvironmentKey(deps, administrator, options.adminKey);
  if (tenant.setupCompletedAt)
    return { tenantId: tenant._id, administrator, firstBoot: null, complete: async () => undefined };
  const before = new Date(deps.clock.now() - besideMs);
  const earlier = deps.kind === 'MongoDB' ? { createdAt: { $lt: before } } : {};
  await deps.auth.keys.deleteMany({ tenantId: tenant._id, source: 'setup', ...earlier });
  const adminKey = options.adminKey === null ? newKey() : null;
  if (adminKey) await insertKey(deps, administrator, { raw: adminKey, name: 'First boot', source: 'setup' });
  const signInToken = await deps.sessions.createSignInToken(user, administrator);
  return {
    tenantId: tenant._id,
    administrator,
    firstBoot: { adminKey, signInToken },
    complete: async () => {
      await deps.auth.tenants.updateOne(
        { _id: tenant._id },
        { $set: { setupCompletedAt: new Date(deps.clock.now()) } },
      );
    },
  };
}

async function ensureTenant(
  { auth, ids, clock, secret, previousSecrets = [] }: Deps,
  slug: string,
): Promise<TenantDoc> {
  const secretCheck = secretCheckOf(secret);
  const existing = await auth.tenants.findOne({ slug });
  if (existing && ![secret, ...previousSecrets].map(secretCheckOf).includes(existing.secretCheck))
    throw new Fault('CONFLICT', 'This data was made with another secret.', {
      hint: 'Start with the RIVULET_SECRET (or the data folder) that this database was made with; all nodes need the same one. Where the secret is to be another one, give the former as RIVULET_PREVIOUS_SECRET until EncryptSecrets has succeeded.',
    });
  if (existing) return existing;
  const tenant: TenantDoc = {
    _id: await ids.next('tenants'),
    guid: randomUUID(),
    slug,
    name: slug === firstSlug ? 'Rivulet' : slug,
    secretCheck,
    setupCompletedAt: null,
    createdAt: new Date(clock.now()),
  };
  return insertOrFind(auth.tenants, tenant, { slug });
}

async function ensureAdministrator({ auth, ids, clock }: Deps, tenant: TenantDoc, opens: boolean): Promise<UserDoc> {
  const username = 'admin';
  const existing = await auth.users.findOne({ tenantId: tenant._id, username });
  if (existing && opens && !(existing.isActive && existing.role === 'Owner')) {
    const $set = { isActive: true, role: 'Owner' as const, deletedAt: null };
    await auth.users.updateOne({ _id: existing._id }, { $set });
    return { ...existing, ...$set };
  }
  if (existing) return existing;
  const user = newUser(
    { username, displayName: 'Administrator', email: null, passwordHash: null },
    { tenantId: tenant._id, role: 'Owner' },
    await ids.next('users'),
    new Date(clock.now()),
  );
  return insertOrFind(auth.users, user, { tenantId: tenant._id, username });
}

/** The administrator's identity: the first that may act, else the first one, reactivated where the key must work. */
async function ensureIdentity({ auth, ids, clock }: Deps, user: UserDoc, opens: boolean): Promise<IdentityDoc> {
  const own = await auth.identities.find({ tenantId: user.tenantId, userId: user._id }, { sort: { _id: 1 } }).toArray();
  const live = own.find((one) => isLive(one, clock.now()));
  if (live) return live;
  const now = new Date(clock.now());
  const asleep = own.find((one) => one.deletedAt === null);
  if (asleep && opens) {
    const $set = { isActive: true, expiresAt: null, updatedAt: now };
    await auth.identities.updateOne({ _id: asleep._id }, { $set });
    return { ...asleep, ...$set };
  }
  if (own[0] && !opens) return asleep ?? own[0];
  // Nodes that boot together for the first time must choose the same name.
  const name = own[0] ? await freeIdentityName(auth, user.tenantId, 'Administrator') : 'Administrator';
  const person = personIdentity(user, name, await ids.next('identities'), now);
  const identity: IdentityDoc = { ...person, displayName: 'Administrator' };
  return insertOrFind(auth.identities, identity, { tenantId: user.tenantId, nameKey: identity.nameKey });
}

/** Keeps only the present value of the variable valid: the key of an earlier value is revoked. */
async function syncEnvironmentKey(deps: Deps, identity: IdentityDoc, raw: string | null): Promise<void> {
  const { auth, clock } = deps;
  const hash = raw === null ? '' : hashSecret(raw);
  const stale = { tenantId: identity.tenantId, source: 'environment' as const, hash: { $ne: hash }, revokedAt: null };
  await auth.keys.updateMany(stale, { $set: { revokedAt: new Date(clock.now()) } });
  if (raw === null) return;
  const existing = await auth.keys.findOne({ hash });
  const open = { identityId: identity._id, scopes: [], expiresAt: null, revokedAt: null };
  if (existing) await auth.keys.updateOne({ _id: existing._id }, { $set: open });
  else await insertKey(deps, identity, { raw, name: 'RIVULET_ADMIN_KEY', source: 'environment' });
}

async function insertKey(
  { auth, ids, clock }: Deps,
  identity: IdentityDoc,
  key: { raw: string; name: string; source: KeyDoc['source'] },
) {
  const document: KeyDoc = {
    _id: await ids.next('api_keys'),
    guid: randomUUID(),
    tenantId: identity.tenantId,
    identityId: identity._id,
    name: key.name,
    hash: hashSecret(key.raw),
    ...visibleParts(key.raw),
    scopes: [],
    source: key.source,
    expiresAt: null,
    lastUsedAt: null,
    lastUsedIp: null,
    rotatedFromKeyId: null,
    revokedAt: null,
    createdByUserId: identity.userId,
    createdAt: new Date(clock.now()),
  };
  await insertOrFind(auth.keys, document, { hash: document.hash });
}

/** Inserts a document, or returns the one that another node inserted first. */
async function insertOrFind<T extends { _id: number }>(
  collection: { insertOne(document: T): Promise<unknown>; findOne(filter: object): Promise<T | null> },
  document: T,
  unique: object,
): Promise<T> {
  try {
    await collection.insertOne(document);
    return document;
  } catch (error) {
    const winner = isDuplicate(error) ? await collection.findOne(unique) : null;
    if (winner) return winner;
    throw error;
  }
}
