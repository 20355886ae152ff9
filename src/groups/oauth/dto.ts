// Sign-in providers, people's logins at them, and consents that people gave.
import type { z } from 'zod';
import { AuthProvider } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, string } from '../../contract/types.ts';

export const OAuthProviderDto = dto('OAuthProviderDto', {
  key: string,
  name: string,
  kind: AuthProvider,
  icon: string.nullable(),
  allowSignIn: boolean,
  allowLink: boolean,
  startUrl: string,
});

export const OAuthStartDto = dto('OAuthStartDto', {
  provider: string,
  authorizationUrl: string,
  state: string,
  expiresAtUtc: dateTime,
});

export const ExternalLoginDto = dto('ExternalLoginDto', {
  id: int64,
  provider: string,
  kind: AuthProvider,
  subject: string,
  email: string.nullable(),
  displayName: string.nullable(),
  canUnlink: boolean,
  linkedAtUtc: dateTime,
  lastUsedAtUtc: dateTime.nullable(),
});
export type ExternalLoginDto = z.output<typeof ExternalLoginDto>;

export const OAuthConsentResultDto = dto('OAuthConsentResultDto', {
  redirectUrl: string,
  approved: boolean,
  grantSessionId: int64.nullable(),
});
export type OAuthConsentResultDto = z.output<typeof OAuthConsentResultDto>;
