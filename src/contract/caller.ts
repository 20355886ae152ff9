// Who makes a request: the principal that authentication found, as services see it.
import type { Permission, SessionKind } from './enums.ts';

export interface Caller {
  tenantId: number;
  kind: SessionKind;
  userId: number | null;
  identityId: number | null;
  /** The identity key in use, if any. */
  keyId: number | null;
  sessionId: number | null;
  name: string;
  permissions: ReadonlySet<Permission>;
  /** When the credential ends, ms since the epoch, or null. */
  expiresAt: number | null;
}
