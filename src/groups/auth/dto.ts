// What signing in answers: users, principals, roles and tokens.
import { z } from 'zod';
import { AuthProvider, Permission, SessionKind, UiDensity, UiTheme, UserRole, UserType } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';
import { IdentityDto } from '../identities/dto.ts';

export const UiPreferences = dto('UiPreferences', {
  theme: UiTheme,
  density: UiDensity,
  accentColor: string.nullable(),
  locale: string.nullable(),
  dateFormat: string.nullable(),
  use24HourClock: boolean,
  startPage: string.nullable(),
  sidebarCollapsed: boolean,
  reduceMotion: boolean,
  streamTokens: boolean,
  notificationsEnabled: boolean,
  notificationSound: boolean,
  mutedTopics: z.array(string),
  pinnedRunIds: z.array(int64),
  pinnedSessionIds: z.array(int64),
  dashboardLayoutJson: string.nullable(),
  shortcutsJson: string.nullable(),
});
export type UiPreferences = z.output<typeof UiPreferences>;

export const UserDto = dto('UserDto', {
  id: int64,
  guid: uuid,
  username: string,
  displayName: string.nullable(),
  email: string.nullable(),
  type: UserType,
  role: UserRole,
  authProvider: AuthProvider,
  location: string.nullable(),
  timezone: string.nullable(),
  language: string.nullable(),
  isActive: boolean,
  emailConfirmed: boolean,
  lastLoginAtUtc: dateTime.nullable(),
  lastSeenAtUtc: dateTime.nullable(),
  ui: UiPreferences.nullable(),
  createdAtUtc: dateTime,
});
export type UserDto = z.output<typeof UserDto>;

export const RoleDto = dto('RoleDto', {
  id: int64,
  guid: uuid,
  name: string,
  description: string.nullable(),
  isSystem: boolean,
  weight: int32,
  memberCount: int32,
  permissionCount: int32,
  createdAtUtc: dateTime,
});
export type RoleDto = z.output<typeof RoleDto>;

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
