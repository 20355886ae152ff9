// Users as they are answered: nothing of their passwords.
import type { UserDoc } from '../../auth/documents.ts';
import { shown } from '../../ports/shown.ts';
import { UiPreferences, UserDto } from './dto.ts';

export const toUserDto = (user: UserDoc): UserDto =>
  shown(UserDto, user, {
    roleIds: user.roleIds ?? [],
    authProvider: user.authProvider ?? 'Local',
    location: user.location ?? null,
    timezone: user.timezone ?? null,
    language: user.language ?? null,
    emailConfirmed: user.emailConfirmed ?? false,
    ui: UiPreferences.nullable()
      .catch(null)
      .parse(user.ui ?? null),
  });
