// Operations on identities, the personas that act, and on their API keys.
import { z } from 'zod';
import { IdentityType, Permission, PresenceState } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { IdentityApiKeyCreatedResponse, IdentityApiKeyDto, IdentityDto, IdentityPersonality } from './dto.ts';

export const identityName = string
  .trim()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'letters, digits, spaces and . _ - only');
export const longText = string.max(8000);
const name = identityName;
const text = longText;

export const identities = group(
  'Identities',
  { base: '/api/identities', doc: 'Personas, human or agent, that own runs, keys and memories.' },
  {
    list: op.get('', {
      doc: 'List identities.',
      needs: 'IdentitiesRead',
      query: listQuery(['name', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        q: string.max(200).optional(),
        type: IdentityType.optional(),
        presenceState: PresenceState.optional(),
        isActive: boolean.optional(),
        userId: int64.optional(),
        provisionedByIdentityId: int64.optional(),
        tag: string.max(100).optional(),
      }),
      data: page(IdentityDto),
    }),
    create: op.post('', {
      doc: 'Create an identity.',
      needs: 'IdentitiesWrite',
      body: fields({
        name,
        displayName: string.max(200).nullish(),
        bio: text.nullish(),
        origin: text.nullish(),
        type: IdentityType.nullish(),
        userId: int64.nullish(),
        isActive: boolean.nullish(),
        expiresAtUtc: dateTime.nullish(),
        tags: z.array(string.max(100)).max(50).nullish(),
        personality: IdentityPersonality.nullish(),
      }),
      data: IdentityDto,
    }),
    get: op.get('/{id}', { doc: 'One identity.', needs: 'IdentitiesRead', data: IdentityDto }),
    byName: op.get('/by-name/{name}', {
      doc: 'The identity of this name, in any case.',
      needs: 'IdentitiesRead',
      data: IdentityDto,
    }),
    byUser: op.get('/by-user/{userId}', {
      doc: 'The identity that a user acts as: the oldest active one.',
      needs: 'IdentitiesRead',
      data: IdentityDto,
    }),
    resolve: op.get('/resolve/{identityRef}', {
      doc: 'The identity that a number, a guid, a name or a username stands for, in this order.',
      needs: 'IdentitiesRead',
      data: IdentityDto,
    }),
    memoryReadable: op.get('/memory-readable', {
      doc: 'The identities whose memories you, or an identity that you may act as, may read.',
      needs: 'MemoriesRead',
      query: fields({ identityId: int64.optional() }),
      data: z.array(IdentityDto),
    }),
    patch: op.patch('/{id}', {
      doc: 'Change parts of an identity.',
      needs: 'IdentitiesWrite',
      body: fields({
        name: name.optional(),
        displayName: string.min(1).max(200).optional(),
        bio: text.nullish(),
        origin: text.nullish(),
        type: IdentityType.optional(),
        isActive: boolean.optional(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: IdentityDto,
    }),
    replace: op.put('/{id}', {
      doc: 'Replace what can be changed of an identity.',
      needs: 'IdentitiesWrite',
      body: fields({
        name,
        displayName: string.min(1).max(200),
        bio: text.nullish(),
        origin: text.nullish(),
        type: IdentityType,
        isActive: boolean,
        expiresAtUtc: dateTime.nullish(),
      }),
      data: IdentityDto,
    }),
    setPresence: op.put('/{id}/presence', {
      doc: 'Say what an identity is up to, until untilUtc or until its sockets have gone.',
      needs: 'IdentitiesWrite',
      body: fields({
        presenceState: PresenceState,
        statusText: string.max(200).nullish(),
        untilUtc: dateTime.nullish(),
      }),
      data: IdentityDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete an identity; its keys stop working at once.',
      needs: 'IdentitiesWrite',
      data: nothing,
    }),
  },
);

export const identityKeys = group(
  'Identities',
  { id: 'IdentityKeys', base: '/api/identities/{identityId}/api-keys', doc: 'Long-lived keys of an identity.' },
  {
    list: op.get('', {
      doc: 'List the keys of an identity, newest first; the keys themselves are not kept.',
      needs: 'ApiKeysManage',
      query: listQuery(['createdAtUtc', 'name', 'id'], { includeRevoked: boolean.optional() }),
      data: page(IdentityApiKeyDto),
    }),
    create: op.post('', {
      doc: 'Make a key; its value is in this answer only.',
      needs: 'ApiKeysManage',
      body: fields({
        name: string.trim().min(1).max(100),
        scopes: z.array(Permission).max(200).nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: IdentityApiKeyCreatedResponse,
    }),
    rotate: op.post('/{keyId}/rotate', {
      doc: 'Replace a key; the old one works for overlapMinutes more.',
      needs: 'ApiKeysManage',
      body: fields({
        expiresAtUtc: dateTime.nullish(),
        overlapMinutes: int32.min(0).max(10_080).nullish(),
      }).optional(),
      data: IdentityApiKeyCreatedResponse,
    }),
    remove: op.delete('/{keyId}', {
      doc: 'Revoke a key; its sockets close.',
      needs: 'ApiKeysManage',
      data: nothing,
    }),
  },
);
