// The identity that a request names: found, or said not to be there.
import type { Caller } from '../contract/caller.ts';
import { Fault } from '../kernel/fault.ts';
import type { PerTenant } from '../ports/tenanted.ts';
import type { Acting } from './acting.ts';
import type { IdentityDoc } from './documents.ts';

type Identities = PerTenant<IdentityDoc>;

export const noIdentity = (id: number | string): Fault =>
  new Fault('NOT_FOUND', `There is no identity ${id}.`, { hint: 'List identities with GET /api/identities.' });

/** @throws Fault NOT_FOUND, also for one that was removed */
export async function namedIdentity(
  identities: Identities,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: number,
): Promise<IdentityDoc> {
  const found = await identities(tenantId).findOne({ _id: id, deletedAt: null });
  if (found) return found;
  throw noIdentity(id);
}

/** One that the caller may act as. @throws Fault NOT_FOUND, OWNERSHIP_REQUIRED */
export async function ownIdentity(
  { identities, acting }: { identities: Identities; acting: Acting },
  caller: Caller,
  id: number,
): Promise<IdentityDoc> {
  const identity = await namedIdentity(identities, caller, id);
  await acting.allow(caller, id);
  return identity;
}
