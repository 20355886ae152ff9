// Tokens as they are answered.
import type { IssuedTokens } from '../../auth/sessions.ts';
import { toUserDto } from '../users/to-dto.ts';
import type { AuthTokenDto } from './dto.ts';

export function toTokenDto(issued: IssuedTokens): AuthTokenDto {
  const { accessToken, expiresInSeconds, refreshToken, session, user, lacks } = issued;
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresInSeconds,
    refreshToken,
    refreshExpiresAtUtc: session.expiresAt.toISOString(),
    sessionId: session._id,
    user: toUserDto(user),
    identityId: session.identityId,
    mfaEnrollmentRequired: lacks === 'SecondFactor',
    emailConfirmationRequired: lacks === 'ConfirmedEmail',
  };
}
