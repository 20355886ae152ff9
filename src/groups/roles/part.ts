// Roles as a part of the server.
import { roleRecord } from '../../auth/collections.ts';
import type { Permission } from '../../contract/enums.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { part, sampleOf } from '../part.ts';
import { permissions, roles } from './contract.ts';
import { permissionsService, rolesService } from './service.ts';

const lent: Permission[] = ['RunsRead'];

export const rolesPart = part({
  // Its collection is one of those that src/auth stands on.
  records: [],
  contracts: [roles, permissions],
  serve: ({ db, ids, clock, auth, accessChanged }) => {
    // What a role permits holds from the next request on, on every connection and node.
    const keeper = createKeeper(roleRecord, { db, ids, clock, told: accessChanged });
    return [rolesService({ roles: keeper, users: auth.users }), permissionsService({})];
  },
  samples: [
    sampleOf(roles, (name) => ({ name, permissions: lent }), {
      patch: () => ({ weight: 1 }),
      replace: ({ name }) => ({ name, weight: 1, permissions: lent }),
      setPermissions: () => ({ permissions: lent }),
    }),
  ],
});
