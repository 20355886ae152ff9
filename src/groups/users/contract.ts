// Operations on users.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { AuthProvider, UserExportFormat, UserRole, UserType } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, dateTime, email, fields, int64, nothing, string } from '../../contract/types.ts';
import { PasswordResetResultDto, UiPreferences, UserApiKeyCreatedDto, UserDto } from './dto.ts';
import { UserDataExport } from './export/dto.ts';

const text = string.trim().min(1).max(200);

const username = text.regex(/^[^\s/]+$/, 'no spaces and no slashes');
const person = {
  email: email.nullish(),
  displayName: text.nullish(),
  location: text.nullish(),
  timezone: text.nullish(),
  language: text.nullish(),
  ui: UiPreferences.nullish(),
};
const roleIds = z.array(int64).max(100);
const password = string.min(1).max(1000);

const usual = crud({
  noun: 'user',
  dto: UserDto,
  read: 'UsersRead',
  write: 'UsersWrite',
  sorts: ['username', 'displayName', 'email', 'role', 'createdAtUtc', 'id'],
  filters: {
    q: string.max(200).optional(),
    type: UserType.optional(),
    role: UserRole.optional(),
    authProvider: AuthProvider.optional(),
    isActive: boolean.optional(),
  },
  create: {
    ...person,
    username,
    password: password.nullish(),
    type: UserType.nullish(),
    role: UserRole.nullish(),
    roleIds: roleIds.nullish(),
    isActive: boolean.nullish(),
    sendInvite: boolean.nullish(),
  },
  patch: {
    ...person,
    username: username.optional(),
    type: UserType.optional(),
    role: UserRole.optional(),
    roleIds: roleIds.optional(),
    isActive: boolean.optional(),
    emailConfirmed: boolean.optional(),
  },
  docs: {
    list: 'List users.',
    create:
      'Create a user with no more rights than you have; a person gets an identity to act as. With sendInvite they get a mail to choose their name and password.',
    remove: 'Delete a user: its keys, sessions and identities end, its name is free, and what it did stays.',
    patch: 'Change a user, its system role, or the roles that it has besides.',
  },
});

export const users = group(
  'Users',
  { base: '/api/users', doc: 'People and agents that have an account.' },
  {
    ...usual,
    replace: op.put('/{id}', {
      doc: 'Replace what is said of a user; its password and keys stay.',
      needs: 'UsersWrite',
      body: fields({
        ...person,
        username,
        type: UserType,
        role: UserRole,
        roleIds: roleIds.nullish(),
        isActive: boolean,
      }),
      data: UserDto,
    }),
    byUsername: op.get('/by-username/{username}', {
      doc: 'The user of this name, in any case.',
      needs: 'UsersRead',
      data: UserDto,
    }),
    createKey: op.post('/{id}/apikey', {
      doc: 'Make the API key of a user, shown once, in place of the one it has; it can do what the user may.',
      needs: 'UsersWrite',
      body: fields({ expiresAtUtc: dateTime.nullish() }).optional(),
      data: UserApiKeyCreatedDto,
    }),
    removeKey: op.delete('/{id}/apikey', {
      doc: 'Revoke the API key of a user.',
      needs: 'UsersWrite',
      data: nothing,
    }),
    resetPassword: op.post('/{id}/reset-password', {
      doc: 'Set the password of somebody else, mail them a link to set it, or have a temporary one made.',
      needs: 'UsersWrite',
      body: fields({
        newPassword: password.nullish(),
        sendEmail: boolean.nullish(),
        endSessions: boolean.nullish(),
      }).optional(),
      data: PasswordResetResultDto,
      idempotent: false,
    }),
    replaceProfile: op.put('/me/profile', {
      doc: 'Replace my profile; a new e-mail address has to be confirmed.',
      needs: 'self',
      body: fields(person),
      data: UserDto,
    }),
    exportData: op.get('/me/export', {
      doc: 'Everything that the server holds on me, as JSON or as a ZIP of JSON files.',
      needs: 'self',
      query: fields({ format: UserExportFormat.optional() }),
      data: UserDataExport,
      orFile: true,
      mediaType: 'application/zip',
      timeoutMs: 120_000,
    }),
    close: op.post('/me/close', {
      doc: 'Close my account for good; with deleteData my profile, chats and messages are erased.',
      needs: 'self',
      body: fields({ password: string.max(1000), reason: string.max(2000).nullish(), deleteData: boolean.nullish() }),
      data: nothing,
      signsIn: true,
      idempotent: false,
    }),
    changePassword: op.post('/me/password', {
      doc: 'Set my password; the current one is asked for where there is one.',
      needs: 'self',
      body: fields({
        currentPassword: string.max(1000),
        newPassword: string.min(1).max(1000),
        endOtherSessions: boolean.nullish(),
      }),
      data: nothing,
      idempotent: false,
      signsIn: true,
    }),
  },
);
