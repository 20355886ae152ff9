// Users as they are answered, and how the dashboard looks to each.
import { z } from 'zod';
import { AuthProvider, UiDensity, UiTheme, UserRole, UserType } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, string, uuid } from '../../contract/types.ts';

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
  /** Ours: the tenant's own roles that the user has beside it, as PATCH takes them. */
  roleIds: z.array(int64),
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

export const UserApiKeyCreatedDto = dto('UserApiKeyCreatedDto', {
  userId: int64,
  prefix: string,
  rawKey: string,
  createdAtUtc: dateTime,
  expiresAtUtc: dateTime.nullable(),
});

export const PasswordResetResultDto = dto('PasswordResetResultDto', {
  userId: int64,
  temporaryPassword: string.nullable(),
  resetLinkSent: boolean,
  expiresAtUtc: dateTime.nullable(),
});
