// What signing in answers: users, principals, roles and tokens.
import { z } from 'zod';
import { Permission, SessionKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';
import { IdentityDto } from '../identities/dto.ts';
import { RoleDto } from '../roles/dto.ts';
import { UserDto } from '../users/dto.ts';

export const OrgUnitMembershipDto = dto('OrgUnitMembershipDto', {
  orgUnitId: int64,
  orgUnitName: string,
  path: string,
  roleId: int64.nullable(),
  roleName: string.nullable(),
  isManager: boolean,
});
export type OrgUnitMembershipDto = z.output<typeof OrgUnitMembershipDto>;

export const AuthTokenDto = dto('AuthTokenDto', {
  accessToken: string,
  tokenType: string,
  expiresInSeconds: int32,
  refreshToken: string.nullable(),
  refreshExpiresAtUtc: dateTime,
  sessionId: int64,
  user: UserDto,
  identityId: int64.nullable(),
  mfaEnrollmentRequired: boolean,
  emailConfirmationRequired: boolean,
});
export type AuthTokenDto = z.output<typeof AuthTokenDto>;

export const AuthPrincipalDto = dto('AuthPrincipalDto', {
  kind: SessionKind,
  user: UserDto.nullable(),
  identity: IdentityDto.nullable(),
  roles: z.array(RoleDto),
  permissions: z.array(Permission),
  orgUnits: z.array(OrgUnitMembershipDto),
  sessionId: int64.nullable(),
  tenantName: string,
  mfaEnabled: boolean,
  hasPassword: boolean,
  recoveryCodesLeft: int32,
});
export type AuthPrincipalDto = z.output<typeof AuthPrincipalDto>;
