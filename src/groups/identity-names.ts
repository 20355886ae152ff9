// Names of identities, for those who show things by their ids.
import type { IdentityDoc } from '../auth/documents.ts';
import type { PerTenant } from '../ports/tenanted.ts';

/** The names that a tenant's identities are shown by; ids may be repeated, and unknown ones are left out. */
export async function namesOf(
  identities: PerTenant<IdentityDoc>,
  tenantId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const found = await identities(tenantId)
    .find({ _id: { $in: [...new Set(ids)] } }, { projection: { displayName: 1 } })
    .toArray();
  return new Map(found.map((one) => [one._id, one.displayName]));
}
