// The documents of accounts: tenants, users, identities, keys and sign-in sessions.
import type { IdentityType, Permission, PresenceState, UserRole, UserType } from '../contract/enums.ts';

export interface TenantDoc {
  _id: number;
  guid: string;
  slug: string;
  name: string;
  /** HMAC of a constant with the server's secret: tells when the secret is not the one this data was made with. */
  secretCheck: string;
  /** Set when the first administrator's credentials have been shown. */
  setupCompletedAt: Date | null;
  createdAt: Date;
}

/** Settings of the dashboard; `UiPreferences` of the interface says which. */
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
  /** How the dashboard looks to them, as they last set it. */
  ui?: UserSettings | null;
  type: UserType;
  role: UserRole;
  /** Roles of the tenant's own that it has besides. */
  roleIds?: number[];
  passwordHash: string | null;
  /** The key that the password was set with: it ends with that key. Null for one that the person set. */
  passwordKeyId?: number | null;
  /** The second factor: sealed secret, and the last time step whose code was used. */
  totp?: { sealed: string; enabledAt: Date; lastStep: number } | null;
  /** A second factor that waits for its first code. */
  totpPending?: { sealed: string; expiresAt: Date } | null;
  /** Hashes of the recovery codes that are left. */
  recoveryHashes?: string[];
  /** Set when the account was closed or deleted; its name is free again. */
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
  /** One of `UserRole`, by its name: what it may do is in the code, and its users have it as `role`. */
  isSystem: boolean;
  /** Its place among the roles, see `rank.ts`. */
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
  /** The user who made it and answers for it. */
  stewardUserId?: number | null;
  expiresAt: Date | null;
  adoptedAt: Date | null;
  type: IdentityType;
  presenceState: PresenceState;
  isActive: boolean;
  tags: string[];
  personality: Record<string, unknown> | null;
  /** What was set of its profiles and configurations; `groups/identities/settings.ts` reads them. */
  tools?: Setting;
  work?: Setting;
  messaging?: Setting;
  memory?: Setting;
  hydration?: Setting;
  /** What of its soul has no field of its own. */
  soul?: Setting;
  /** Children about to be made: each holds a place below the ceiling until it is there, or until its time is over. */
  expectedChildren?: ExpectedChild[];
  /** Grows with each place that is taken, so that two who take one see each other. */
  placesTaken?: number;
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
  /** Empty: all that the identity may do. */
  scopes: Permission[];
  /** The key of a user, `POST /api/users/{id}/apikey`, which acts as the user's first identity. */
  ofUser?: boolean;
  /** Where the key comes from; the environment's key is replaced at boot when the setting changes. */
  source: 'api' | 'setup' | 'environment';
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  lastUsedIp: string | null;
  rotatedFromKeyId: number | null;
  revokedAt: Date | null;
  /** The mark of the request that rotated it, where it had one. */
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
  /** Hash of the refresh token that is valid now. */
  refreshHash: string;
  /** The key that it came from, by a password that was set with one: it ends with that key. */
  keyId?: number | null;
  /** When the person signed in by password or link; the start of the session where that is not known. */
  provenAt?: Date;
  /** Hashes of refresh tokens used before; seeing one again revokes the session. */
  usedHashes: string[];
  /** To be kept for longer than a day without use; absent in sessions of earlier versions. */
  remember?: boolean;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** A token that was mailed to somebody, who uses it once. */
export interface MailTokenDoc {
  _id: number;
  tenantId: number;
  userId: number;
  kind: 'confirm' | 'reset' | 'invite';
  hash: string;
  /** The address that it was mailed to. */
  email: string;
  usedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Failed sign-ins with one login name, whether anybody has it or not. */
export interface AttemptsDoc {
  /** Hash of the name. */
  _id: string;
  failures: number;
  lockedUntil: Date | null;
  lastAt: Date;
}
