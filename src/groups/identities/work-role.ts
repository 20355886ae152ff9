// The role that runs of an identity have which name none.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { Roles } from '../agent/roles/roles.ts';
import { settingOf } from './settings.ts';

interface Deps {
  identities: PerTenant<IdentityDoc>;
  roles: Pick<Roles, 'find'>;
}

/** By an identity's number; null where its work profile names none, or one that is gone or switched off. */
export const createWorkRole =
  ({ identities, roles }: Deps) =>
  async (tenantId: number, identityId: number): Promise<number | null> => {
    const identity = await identities(tenantId).findOne({ _id: identityId });
    const id = identity && settingOf(identity, 'work').roleDefinitionId;
    const role = id === null ? null : await roles.find(tenantId, id);
    return role?.enabled ? role._id : null;
  };
