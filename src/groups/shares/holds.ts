// Whether a link holds: until it expires or is revoked, and as long as who made it is here.
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Collection } from '../../ports/db.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ShareDoc } from './record.ts';

export interface ShareHolders {
  shares: Collection<ShareDoc>;
  users: PerTenant<UserDoc>;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
}

/** The link, while it holds; null otherwise. Links of people and agents that were switched off do not. */
export async function holding(
  { shares, users, identities, clock }: ShareHolders,
  by: { tokenHash: string } | { guid: string },
): Promise<ShareDoc | null> {
  const share = await shares.findOne(by);
  if (!share || share.expiresAt.getTime() <= clock.now()) return null;
  const { tenantId, createdByUserId, createdByIdentityId } = share;
  const [user, identity] = await Promise.all([
    createdByUserId === null ? true : users(tenantId).findOne({ _id: createdByUserId, isActive: true }),
    createdByIdentityId === null
      ? true
      : identities(tenantId).findOne({ _id: createdByIdentityId, isActive: true, deletedAt: null }),
  ]);
  return user !== null && identity !== null ? share : null;
}

/** Origins whose pages may frame what a link shows; none for links that do not hold. */
export const framersOf = async (holders: ShareHolders, guid: string): Promise<readonly string[]> =>
  (await holding(holders, { guid }))?.embedOrigins ?? [];
