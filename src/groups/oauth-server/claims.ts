// What a client learns of a person, by the scopes of OpenID Connect.
import type { UserDoc } from '../../auth/documents.ts';

export const profileClaims = (user: UserDoc) => ({
  name: user.displayName ?? user.username,
  preferred_username: user.username,
  ...(user.language && { locale: user.language }),
  ...(user.timezone && { zoneinfo: user.timezone }),
});

export const emailClaims = (user: UserDoc) =>
  user.email === null ? {} : { email: user.email, email_verified: user.emailConfirmed ?? false };
