// What signing in answers: users, principals, roles and tokens.
import { z } from 'zod';
import { Permission, SessionKind, TokenKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';
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

export const AuthSessionDto = dto('AuthSessionDto', {
  id: int64,
  guid: uuid,
  kind: SessionKind,
  deviceName: string.nullable(),
  clientId: string.nullable(),
  clientName: string.nullable(),
  scopes: z.array(string),
  ip: string.nullable(),
  userAgent: string.nullable(),
  isCurrent: boolean,
  createdAtUtc: dateTime,
  lastSeenAtUtc: dateTime,
  expiresAtUtc: dateTime,
});
export type AuthSessionDto = z.output<typeof AuthSessionDto>;

export const TotpEnrollmentDto = dto('TotpEnrollmentDto', {
  secret: string,
  otpauthUri: string,
  qrSvg: string,
  expiresAtUtc: dateTime,
});

export const MfaRecoveryCodesDto = dto('MfaRecoveryCodesDto', {
  recoveryCodes: z.array(string),
  enabledAtUtc: dateTime,
});

export const TokenIntrospectionDto = dto('TokenIntrospectionDto', {
  active: boolean,
  kind: TokenKind.nullable(),
  subject: string.nullable(),
  userId: int64.nullable(),
  identityId: int64.nullable(),
  clientId: string.nullable(),
  keyId: int64.nullable(),
  permissions: z.array(Permission),
  scopes: z.array(string),
  issuedAtUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  lastUsedAtUtc: dateTime.nullable(),
  reason: string.nullable(),
});
export type TokenIntrospectionDto = z.output<typeof TokenIntrospectionDto>;
