// On whose account a caller's model calls go.
import type { Caller } from '../contract/caller.ts';

export const spenderOf = ({ tenantId, identityId, userId }: Caller) => ({
  tenantId,
  ...(identityId !== null && { identityId }),
  ...(userId !== null && { userId }),
});
