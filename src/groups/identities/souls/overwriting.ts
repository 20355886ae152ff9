// Writes a soul over an identity that is there.
import type { Caller } from '../../../contract/caller.ts';
import type { Roles } from '../../agent/roles/roles.ts';
import type { IdentityChange, People } from '../people.ts';
import { settingOf } from '../settings.ts';
import { fieldsOf } from './mapping.ts';
import type { Soul } from './soul.ts';

interface Deps {
  people: People;
  roles: Pick<Roles, 'findByName'>;
}

export function createOverwriting({ people, roles }: Deps) {
  /** The role that a soul names, where the tenant has one that is enabled. */
  const roleOf = async ({ tenantId }: Caller, { roleName }: Soul) => {
    const role = roleName === null ? null : await roles.findByName(tenantId, roleName);
    return role?.enabled ? role : null;
  };

  return {
    roleOf,
    /**
     * With further fields of the identity. A role that the soul names and the tenant lacks changes nothing; one that it
     * does not name is taken away only where `exact`.
     *
     * @throws Fault NOT_FOUND, FORBIDDEN
     */
    async overwrite(caller: Caller, id: number, soul: Soul, more: IdentityChange, { exact = false } = {}) {
      const { identity } = await people.getToWrite(caller, id);
      const role = await roleOf(caller, soul);
      const work = { ...settingOf(identity, 'work'), roleDefinitionId: role?._id ?? null };
      const says = role !== null || (exact && soul.roleName === null);
      return people.change(caller, id, { ...fieldsOf(soul), ...(says && { work }), ...more });
    },
  };
}
