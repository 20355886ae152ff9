// Who makes a request: the principal that authentication found, as services see it.
import type { Permission, ProjectRole, SessionKind, UserRole } from './enums.ts';

/** What organisation units of the tenant mean for one caller, those below a unit with it. */
export interface UnitRights {
  /** The caller's role in the projects of each unit. */
  roles: ReadonlyMap<number, ProjectRole>;
  /** Units whose members and invitations the caller manages. */
  managed: ReadonlySet<number>;
}

/** What projects of the tenant mean for one caller; those that it may do everything in are not named. */
export interface ProjectRights {
  /** Projects that it may not know of, with all that is in them. */
  hidden: ReadonlySet<number>;
  /** Projects that it may look at only. */
  readOnly: ReadonlySet<number>;
  units?: UnitRights | null;
  /** The request that it makes changes something. */
  changing?: boolean;
}

export interface Caller {
  tenantId: number;
  kind: SessionKind;
  userId: number | null;
  identityId: number | null;
  /** The identity key in use, if any. */
  keyId: number | null;
  sessionId: number | null;
  name: string;
  /** The user's system role. */
  role: UserRole;
  /** The weight of its strongest role; a caller may not change users of a higher weight. */
  rank: number;
  permissions: ReadonlySet<Permission>;
  /** What the person has to do first, by the tenant's policy: until then the session has no permissions. */
  lacks?: 'SecondFactor' | 'ConfirmedEmail' | null;
  /** May change the account itself, such as its password: a session of the person, or a key that says so. */
  managesAccount: boolean;
  /** When the person last proved who they are, ms since the epoch; null for a key. */
  provenAt: number | null;
  /** The key that its rights come from: the one in use, or the one that its session came from. */
  originKeyId: number | null;
  /** When the credential ends, ms since the epoch, or null. */
  expiresAt: number | null;
  /** Latest expiry of keys that the caller makes, ms since the epoch, or null. */
  lendsUntil: number | null;
  /** The OAuth client that acts for the person, and what its token lets it; absent for the person. */
  client?: { id: string; scopes: readonly string[]; resource: 'api' | 'mcp' } | null;
  /** Null for administrators, whom nothing is hidden from. */
  projects?: ProjectRights | null;
}
