// Stored identities as the interface shows them.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { IdentityDto } from './dto.ts';

export function toIdentityDto(identity: IdentityDoc): IdentityDto {
  return {
    id: identity._id,
    guid: identity.guid,
    userId: identity.userId,
    username: identity.username,
    name: identity.name,
    displayName: identity.displayName,
    bio: identity.bio,
    origin: identity.origin,
    provisionedByIdentityId: identity.provisionedByIdentityId,
    expiresAtUtc: identity.expiresAt?.toISOString() ?? null,
    adoptedAtUtc: identity.adoptedAt?.toISOString() ?? null,
    type: identity.type,
    presenceState: identity.presenceState,
    isActive: identity.isActive,
    createdAtUtc: identity.createdAt.toISOString(),
    updatedAtUtc: identity.updatedAt.toISOString(),
  };
}
