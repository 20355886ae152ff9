// Roles as lists and single answers show them, and the permissions that they are made of.
import { z } from 'zod';
import { Permission } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

const role = {
  id: int64,
  guid: uuid,
  name: string,
  description: string.nullable(),
  isSystem: boolean,
  weight: int32,
  memberCount: int32,
};

export const RoleDto = dto('RoleDto', { ...role, permissionCount: int32, createdAtUtc: dateTime });
export type RoleDto = z.output<typeof RoleDto>;

export const RoleDetailDto = dto('RoleDetailDto', {
  permissions: z.array(Permission),
  ...role,
  createdAtUtc: dateTime,
});
export type RoleDetailDto = z.output<typeof RoleDetailDto>;

export const PermissionDto = dto('PermissionDto', {
  name: Permission,
  group: string,
  description: string,
  isDangerous: boolean,
  implies: z.array(Permission),
});
export type PermissionDto = z.output<typeof PermissionDto>;
