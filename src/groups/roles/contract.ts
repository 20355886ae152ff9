// Roles: what their users may do, put together from permissions.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { Permission } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int32, string } from '../../contract/types.ts';
import { PermissionDto, RoleDetailDto, RoleDto } from './dto.ts';

const name = string.trim().min(1).max(100);
const description = string.max(2000).nullish();
/** From 0, which lifts nobody, up to the Owner's. */
const weight = int32.min(0);
const given = z.array(Permission).max(Permission.options.length);

export const roles = group(
  'Roles',
  { base: '/api/roles', doc: 'What users may do: roles of the system, and those of a tenant’s own beside them.' },
  {
    ...crud({
      noun: 'role',
      dto: RoleDetailDto,
      item: RoleDto,
      read: 'RolesRead',
      write: 'RolesWrite',
      sorts: ['weight', 'name', 'createdAtUtc', 'id'],
      filters: { q: string.max(200).optional(), isSystem: boolean.optional() },
      create: { name, description, weight: weight.nullish(), permissions: given.nullish() },
      patch: {
        name: name.optional(),
        description,
        weight: weight.optional(),
        permissions: given.optional(),
      },
      docs: {
        list: 'List roles, the strongest first.',
        create: 'Create a role of permissions that you have yourself; its weight says whom its users may write on.',
        patch: 'Change a role; whoever has it may do more or less from the next request on.',
        remove: 'Delete a role that no user has.',
      },
    }),
    replace: op.put('/{id}', {
      doc: 'Replace a role; whoever has it may do more or less from the next request on.',
      needs: 'RolesWrite',
      body: fields({ name, description, weight, permissions: given }),
      data: RoleDetailDto,
    }),
    setPermissions: op.put('/{id}/permissions', {
      doc: 'Replace the permissions of a role.',
      needs: 'RolesWrite',
      body: fields({ permissions: given }),
      data: RoleDetailDto,
    }),
  },
);

export const permissions = group(
  'Roles',
  { id: 'Permissions', base: '/api/permissions', doc: 'What roles and keys are made of.' },
  {
    list: op.get('', {
      doc: 'List all permissions, or those of one group of operations.',
      needs: 'RolesRead',
      query: fields({ group: string.max(100).optional() }),
      data: z.array(PermissionDto),
    }),
  },
);
