// Logins at sign-in providers as they are answered.
import type { ExternalLoginDoc } from '../../auth/documents.ts';
import type { ExternalLoginDto } from './dto.ts';

export const toLoginDto = (login: ExternalLoginDoc, canUnlink: boolean): ExternalLoginDto => ({
  ...{ id: login._id, provider: login.provider, kind: login.kind, subject: login.subject },
  ...{ email: login.email, displayName: login.displayName, canUnlink },
  linkedAtUtc: login.createdAt.toISOString(),
  lastUsedAtUtc: login.lastUsedAt?.toISOString() ?? null,
});
