// The collections of tenants, users, identities, keys and sessions, with their indexes.
import { type AnyCollectionSpec, type Collection, type Db, defineCollection } from '../ports/db.ts';
import { type RecordOf, record } from '../ports/record.ts';
import { intentIndex } from '../ports/repairs.ts';
import { policySpec } from '../ports/tenant-policy.ts';
import type {
  AttemptsDoc,
  ExternalLoginDoc,
  ExternalSignInDoc,
  IdentityDoc,
  KeyDoc,
  MailTokenDoc,
  OAuthClientDoc,
  OAuthRequestDoc,
  RoleDoc,
  SessionDoc,
  TenantDoc,
  UserDoc,
} from './documents.ts';

const tenants = defineCollection<TenantDoc>({ name: 'tenants', indexes: [{ keys: { slug: 1 }, unique: true }] });
export const userRecord: RecordOf<UserDoc> = record<UserDoc>('users', {
  noun: 'user',
  list: 'GET /api/users',
  order: 'username',
  search: ['username', 'displayName', 'email'],
  unique: 'username',
  lacks: ['updatedAt'],
  softDelete: true,
  indexes: [
    { keys: { tenantId: 1, username: 1 }, unique: true },
    { keys: { tenantId: 1, role: 1 } },
    // People sign in without naming their tenant.
    { keys: { username: 1 } },
    { keys: { email: 1 } },
  ],
});
export const roleRecord: RecordOf<RoleDoc> = record<RoleDoc>('roles', {
  noun: 'role',
  list: 'GET /api/roles',
  order: '-weight',
  search: ['name', 'description'],
  uniqueName: true,
});
export const identityRecord: RecordOf<IdentityDoc> = record<IdentityDoc>('identities', {
  noun: 'identity',
  list: 'GET /api/identities',
  order: 'id',
  search: ['name', 'displayName'],
  texts: ['name', 'displayName'],
  uniqueName: true,
  // History keeps references to deleted roles.
  softDelete: true,
  indexes: [
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, userId: 1 } },
    { keys: { tenantId: 1, orgUnitId: 1 } },
    { keys: { tenantId: 1, provisionedByIdentityId: 1, createdAt: -1 } },
    { keys: { memoriesUnsettled: 1 }, name: 'unsettled', partialFilterExpression: { memoriesUnsettled: { $gt: '' } } },
    intentIndex,
  ],
});
export const keyRecord: RecordOf<KeyDoc> = record<KeyDoc>('api_keys', {
  noun: 'key',
  list: 'GET /api/identities/{identityId}/api-keys',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [{ keys: { hash: 1 }, unique: true }, { keys: { tenantId: 1, identityId: 1, createdAt: -1 } }],
});
const sessions = defineCollection<SessionDoc>({
  name: 'auth_sessions',
  indexes: [
    { keys: { refreshHash: 1 }, unique: true },
    { keys: { tenantId: 1, userId: 1 } },
    { keys: { expiresAt: 1 }, expireAfterSeconds: 30 * 86_400 },
  ],
});
const mailTokens = defineCollection<MailTokenDoc>({
  name: 'mail_tokens',
  indexes: [
    { keys: { hash: 1 }, unique: true },
    { keys: { userId: 1, kind: 1 } },
    { keys: { expiresAt: 1 }, expireAfterSeconds: 86_400 },
  ],
});
const attempts = defineCollection<AttemptsDoc>({
  name: 'sign_in_attempts',
  indexes: [{ keys: { lastAt: 1 }, expireAfterSeconds: 86_400 }],
});

const oauthClients = defineCollection<OAuthClientDoc>({
  name: 'oauth_clients',
  indexes: [{ keys: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
const oauthRequests = defineCollection<OAuthRequestDoc>({
  name: 'oauth_requests',
  // A code that comes again after its time still says whose grant is to be ended.
  indexes: [{ keys: { codeHash: 1 } }, { keys: { expiresAt: 1 }, expireAfterSeconds: 86_400 }],
});
const externalLogins = defineCollection<ExternalLoginDoc>({
  name: 'external_logins',
  indexes: [{ keys: { issuer: 1, subject: 1 }, unique: true }, { keys: { tenantId: 1, userId: 1 } }],
});
const externalSignIns = defineCollection<ExternalSignInDoc>({
  name: 'external_sign_ins',
  indexes: [{ keys: { codeHash: 1 } }, { keys: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

export const authSpecs: readonly AnyCollectionSpec[] = [
  tenants,
  userRecord.spec,
  roleRecord.spec,
  identityRecord.spec,
  keyRecord.spec,
  sessions,
  mailTokens,
  attempts,
  oauthClients,
  oauthRequests,
  externalLogins,
  externalSignIns,
  policySpec,
];

export interface AuthCollections {
  tenants: Collection<TenantDoc>;
  users: Collection<UserDoc>;
  roles: Collection<RoleDoc>;
  identities: Collection<IdentityDoc>;
  keys: Collection<KeyDoc>;
  sessions: Collection<SessionDoc>;
  mailTokens: Collection<MailTokenDoc>;
  attempts: Collection<AttemptsDoc>;
  oauthClients: Collection<OAuthClientDoc>;
  oauthRequests: Collection<OAuthRequestDoc>;
  externalLogins: Collection<ExternalLoginDoc>;
  externalSignIns: Collection<ExternalSignInDoc>;
}

export function authCollections(db: Db): AuthCollections {
  return {
    tenants: db.collection(tenants),
    users: db.collection(userRecord.spec),
    roles: db.collection(roleRecord.spec),
    identities: db.collection(identityRecord.spec),
    keys: db.collection(keyRecord.spec),
    sessions: db.collection(sessions),
    mailTokens: db.collection(mailTokens),
    attempts: db.collection(attempts),
    oauthClients: db.collection(oauthClients),
    oauthRequests: db.collection(oauthRequests),
    externalLogins: db.collection(externalLogins),
    externalSignIns: db.collection(externalSignIns),
  };
}
