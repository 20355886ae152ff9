// The documents of accounts: tenants, users, identities, keys and sign-in sessions.
import type {
  AuthProvider,
  IdentityType,
  OAuthIntent,
  Permission,
  PresenceState,
  UserRole,
  UserType,
} from '../contract/enums.ts';
import type { Intent } from '../ports/repairs.ts';
import type { Resource } from './oauth/resources.ts';

export interface TenantDoc {
  _id: number;
  guid: string;
  slug: string;
  name: string;
  /** HMAC of a constant with the server's secret; a mismatch shows that the data was made with another secret. */
  secretCheck: string;
  /** Time at which the first administrator's credentials were shown. */
  setupCompletedAt: Date | null;
  createdAt: Date;
}

/** Settings of the dashboard; see `UiPreferences` of the interface. */
export type UserSettings = Record<string, string | number | boolean | null | (string | number)[]>;

export interface UserDoc {
  _id: number;
  guid: string;
  tenantId: number;
  username: string;
  displayName: string | null;
  email: string | null;
  emailConfirmed?: boolean;
  location?: string | null;
  timezone?: string | null;
  language?: string | null;
  /** Appearance of the dashboard as last set by the user. */
  ui?: UserSettings | null;
  type: UserType;
  role: UserRole;
  /** Ids of the tenant's own roles that the user has besides. */
  roleIds?: number[];
  /** Kind of the sign-in provider that the account was made by; absent for one of this server's own. */
  authProvider?: AuthProvider;
  passwordHash: string | null;
  /** Key that the password was set with: the password ends with that key. Null for one that the person set. */
  passwordKeyId?: number | null;
  /** The second factor: sealed secret, and the last time step whose code was used. */
  totp?: { sealed: string; enabledAt: Date; lastStep: number } | null;
  /** A second factor that waits for its first code. */
  totpPending?: { sealed: string; expiresAt: Date } | null;
  /** Hashes of the unused recovery codes. */
  recoveryHashes?: string[];
  /** Time at which the account was closed or deleted; its name is free again. */
  deletedAt?: Date | null;
  isActive: boolean;
  lastLoginAt: Date | null;
  lastSeenAt: Date | null;
  createdAt: Date;
}

export interface RoleDoc {
  _id: number;
  guid: string;
  tenantId: number;
  name: string;
  nameKey: string;
  description: string | null;
  /** True for a role of `UserRole`, by its name: the code defines its permissions, and its users have it as `role`. */
  isSystem: boolean;
  /** Weight among the roles, see `rank.ts`. */
  weight: number;
  permissions: Permission[];
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

type Setting = Readonly<Record<string, unknown>> | null;

export interface IdentityDoc {
  _id: number;
  guid: string;
  tenantId: number;
  userId: number;
  username: string;
  name: string;
  /** Lower-case name, for look-ups and uniqueness within the tenant. */
  nameKey: string;
  displayName: string;
  bio: string | null;
  origin: string | null;
  provisionedByIdentityId: number | null;
  /** The organisation unit that it belongs to. */
  orgUnitId?: number | null;
  /** The user who made the identity and answers for it. */
  stewardUserId?: number | null;
  expiresAt: Date | null;
  adoptedAt: Date | null;
  type: IdentityType;
  presenceState: PresenceState;
  isActive: boolean;
  tags: string[];
  personality: Record<string, unknown> | null;
  /** Stored fields of its profiles and configurations; see `groups/identities/settings.ts`. */
  tools?: Setting;
  work?: Setting;
  messaging?: Setting;
  memory?: Setting;
  /** Mark of identities whose memories are yet to be encrypted, or decrypted, as their settings say. */
  memoriesUnsettled?: string | null;
  hydration?: Setting;
  /** Parts of its soul without a field of their own. */
  soul?: Setting;
  /**
   * Children about to be created: each reserves a place below the ceiling until it exists or its reservation
   * expires.
   */
  expectedChildren?: ExpectedChild[];
  /** Counter that grows with each reserved place, so that two concurrent reservations see each other. */
  placesTaken?: number;
  /** What remains to be done of a clone. */
  intent?: Intent | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export interface ExpectedChild {
  token: string;
  nameKey: string;
  until: Date;
}

export interface KeyDoc {
  _id: number;
  guid: string;
  tenantId: number;
  identityId: number;
  name: string;
  hash: string;
  prefix: string;
  last4: string;
  /** Scopes of the key; empty for all that the identity may do. */
  scopes: Permission[];
  /** True for the key of a user, `POST /api/users/{id}/apikey`, which acts as the user's first identity. */
  ofUser?: boolean;
  /** Origin of the key; the environment's key is replaced at boot when the setting changes. */
  source: 'api' | 'setup' | 'environment';
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  lastUsedIp: string | null;
  rotatedFromKeyId: number | null;
  revokedAt: Date | null;
  /** Idempotency mark of the request that rotated the key, where it had one. */
  rotation?: string;
  createdByUserId: number | null;
  createdAt: Date;
}

export interface SessionDoc {
  _id: number;
  guid: string;
  tenantId: number;
  userId: number;
  identityId: number | null;
  deviceName: string | null;
  ip: string | null;
  userAgent: string | null;
  /** Hash of the currently valid refresh token. */
  refreshHash: string;
  /** Key that the session came from, by a password that was set with one: the session ends with that key. */
  keyId?: number | null;
  /** The OAuth client that a person let in by this session; absent in sessions of people. */
  client?: ClientGrant | null;
  /** Time of the sign-in by password or link; the start of the session where it is unknown. */
  provenAt?: Date;
  /** Hashes of used refresh tokens; a repeated one revokes the session. */
  usedHashes: string[];
  /** True to keep the session for longer than a day without use; absent in sessions of earlier versions. */
  remember?: boolean;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** What an OAuth client may do for whom it is connected to. */
export interface ClientGrant {
  id: string;
  name: string;
  scopes: string[];
  resource: Resource;
  /** Base URL of this server as the client knows it: `iss` of its tokens. */
  issuer: string;
  /** A client that acts by its own secret: its session has no end. */
  isLasting: boolean;
}

/** A program that gets tokens (RFC 7591). */
export interface OAuthClientDoc {
  /** Its `client_id`. */
  _id: string;
  /** Hash of its secret; null for a public client. */
  secretHash: string | null;
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  name: string;
  uri: string | null;
  logoUri: string | null;
  applicationType: 'web' | 'native';
  redirectUris: string[];
  grantTypes: string[];
  responseTypes: string[];
  /** Scopes that it may ask for at most; null for all. */
  scopes: string[] | null;
  contacts: string[];
  softwareId: string | null;
  softwareVersion: string | null;
  /** Tenant of who registered it; null where it registered itself. */
  tenantId: number | null;
  /** Session by which a client with a secret acts for who registered it. */
  sessionId: number | null;
  createdAt: Date;
  /** A client that nobody lets in is forgotten then; null for one that somebody did. */
  expiresAt: Date | null;
}

/** A client's request for a person's consent, and the code that it gets for it. */
export interface OAuthRequestDoc {
  /** Hash of the request's id. */
  _id: string;
  tenantId: number;
  /** The one who is asked. */
  userId: number;
  clientId: string;
  redirectUri: string;
  codeChallenge: string;
  scopes: string[];
  resource: Resource;
  issuer: string;
  state: string | null;
  nonce: string | null;
  decidedAt: Date | null;
  /** Hash of the code, once the person has agreed. */
  codeHash: string | null;
  codeUsedAt: Date | null;
  /** The grant that the code is for. */
  sessionId: number | null;
  expiresAt: Date;
}

/** A person at a sign-in provider, and the account that they enter so. */
export interface ExternalLoginDoc {
  _id: number;
  guid: string;
  tenantId: number;
  /** Null for a moment: the account is being found or made. */
  userId: number | null;
  /** Key of the provider that the person came by first. */
  provider: string;
  kind: AuthProvider;
  /** Who names the person, and by what; the pair is unique. */
  issuer: string;
  subject: string;
  email: string | null;
  displayName: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** A sign-in at a provider: the browser is there, or has come back and holds a code for tokens. */
export interface ExternalSignInDoc {
  /** Hash of the state. */
  _id: string;
  provider: string;
  intent: OAuthIntent;
  /** Who links a login; null for a sign-in. */
  userId: number | null;
  /** Hash of the browser's cookie: nobody else brings the answer back. */
  browserHash: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  returnUrl: string;
  backAt: Date | null;
  /** Hash of the code, once the person is known, and which login it is for. */
  codeHash: string | null;
  loginId: number | null;
  codeUsedAt: Date | null;
  expiresAt: Date;
}

/** A token that was mailed to a user, for a single use. */
export interface MailTokenDoc {
  _id: number;
  tenantId: number;
  userId: number;
  kind: 'confirm' | 'reset' | 'invite';
  hash: string;
  /** Address that the token was mailed to. */
  email: string;
  usedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Failed sign-ins with one login name, whether a user has it or not. */
export interface AttemptsDoc {
  /** Hash of the login name. */
  _id: string;
  failures: number;
  lockedUntil: Date | null;
  lastAt: Date;
}
