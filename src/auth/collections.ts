// The collections of who exists, with their indexes.
import { type AnyCollectionSpec, type Collection, type Db, defineCollection } from '../ports/db.ts';
import type { IdentityDoc, KeyDoc, SessionDoc, TenantDoc, UserDoc } from './documents.ts';

const tenants = defineCollection<TenantDoc>({ name: 'tenants', indexes: [{ keys: { slug: 1 }, unique: true }] });
const users = defineCollection<UserDoc>({
  name: 'users',
  indexes: [{ keys: { tenantId: 1, username: 1 }, unique: true }],
});
const identities = defineCollection<IdentityDoc>({
  name: 'identities',
  indexes: [
    { keys: { tenantId: 1, nameKey: 1 }, unique: true },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, userId: 1 } },
  ],
});
const keys = defineCollection<KeyDoc>({
  name: 'apiKeys',
  indexes: [{ keys: { hash: 1 }, unique: true }, { keys: { tenantId: 1, identityId: 1, createdAt: -1 } }],
});
const sessions = defineCollection<SessionDoc>({
  name: 'authSessions',
  indexes: [
    { keys: { refreshHash: 1 }, unique: true },
    { keys: { tenantId: 1, userId: 1 } },
    { keys: { expiresAt: 1 }, expireAfterSeconds: 30 * 86_400 },
  ],
});

export const authSpecs: readonly AnyCollectionSpec[] = [tenants, users, identities, keys, sessions];

export interface AuthCollections {
  tenants: Collection<TenantDoc>;
  users: Collection<UserDoc>;
  identities: Collection<IdentityDoc>;
  keys: Collection<KeyDoc>;
  sessions: Collection<SessionDoc>;
}

export function authCollections(db: Db): AuthCollections {
  return {
    tenants: db.collection(tenants),
    users: db.collection(users),
    identities: db.collection(identities),
    keys: db.collection(keys),
    sessions: db.collection(sessions),
  };
}
