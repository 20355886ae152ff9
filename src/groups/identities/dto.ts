// What the Identities group answers: personas and their keys.
import { z } from 'zod';
import { IdentityType, Permission, PresenceState } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, string, uuid } from '../../contract/types.ts';

export const IdentityDto = dto('IdentityDto', {
  id: int64,
  guid: uuid,
  userId: int64.nullable(),
  username: string,
  name: string,
  displayName: string,
  bio: string.nullable(),
  origin: string.nullable(),
  provisionedByIdentityId: int64.nullable(),
  expiresAtUtc: dateTime.nullable(),
  adoptedAtUtc: dateTime.nullable(),
  type: IdentityType,
  presenceState: PresenceState,
  isActive: boolean,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type IdentityDto = z.output<typeof IdentityDto>;

/** Payload of `presence.changed`. */
export const PresenceChangedDto = dto('PresenceChangedDto', {
  identityId: int64,
  presenceState: PresenceState,
  statusText: string.nullable(),
  atUtc: dateTime,
});
export type PresenceChangedDto = z.output<typeof PresenceChangedDto>;

export const IdentityApiKeyDto = dto('IdentityApiKeyDto', {
  id: int64,
  guid: uuid,
  identityId: int64,
  name: string,
  prefix: string,
  last4: string,
  scopes: z.array(Permission),
  isActive: boolean,
  expiresAtUtc: dateTime.nullable(),
  lastUsedAtUtc: dateTime.nullable(),
  lastUsedIp: string.nullable(),
  rotatedFromKeyId: int64.nullable(),
  revokedAtUtc: dateTime.nullable(),
  createdByUserId: int64.nullable(),
  createdAtUtc: dateTime,
});
export type IdentityApiKeyDto = z.output<typeof IdentityApiKeyDto>;

export const IdentityApiKeyCreatedResponse = dto('IdentityApiKeyCreatedResponse', {
  key: IdentityApiKeyDto,
  rawKey: string,
});
export type IdentityApiKeyCreatedResponse = z.output<typeof IdentityApiKeyCreatedResponse>;

export const IdentityPersonality = dto('IdentityPersonality', {
  tone: string,
  traits: z.array(string),
  focusAreas: z.array(string),
  boundaries: z.array(string),
  greetingStyle: string,
  uncertaintyHandling: string,
  proactiveSuggestions: boolean,
  customInstructions: string.nullable(),
});
export type IdentityPersonality = z.output<typeof IdentityPersonality>;
