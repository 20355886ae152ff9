// Operations on users.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { AuthProvider, UserRole, UserType } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int64, nothing, string } from '../../contract/types.ts';
import { UiPreferences, UserDto } from './dto.ts';

const text = string.trim().min(1).max(200);

const usual = (({ list, get, patch }) => ({ list, get, patch }))(
  crud({
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
    create: {},
    patch: {
      username: text.regex(/^[^\s/]+$/, 'no spaces and no slashes').optional(),
      email: z.email().max(320).nullish(),
      displayName: text.nullish(),
      type: UserType.optional(),
      role: UserRole.optional(),
      roleIds: z.array(int64).max(100).optional(),
      location: text.nullish(),
      timezone: text.nullish(),
      language: text.nullish(),
      isActive: boolean.optional(),
      emailConfirmed: boolean.optional(),
      ui: UiPreferences.nullish(),
    },
    docs: {
      list: 'List users.',
      patch: 'Change a user, its system role, or the roles that it has besides.',
    },
  }),
);

export const users = group(
  'Users',
  { base: '/api/users', doc: 'People and agents that have an account.' },
  {
    ...usual,
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
