// Identities that come from others: provisioned, cloned, adopted; and what an identity is up to.
import { IdentityType } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, string } from '../../../contract/types.ts';
import { identityName, longText } from '../contract.ts';
import { IdentityDto } from '../dto.ts';
import { tags } from '../profiles/contract.ts';
import { IdentitySummaryDto, IdentityTagCountDto, ProvisionedIdentityResult, SwarmChildListResult } from './dto.ts';

export const swarm = group(
  'Identities',
  { id: 'IdentitySwarm', base: '/api/identities', doc: 'Identities that come from others.' },
  {
    provision: op.post('/provision', {
      doc: 'Make a child identity of your own, for a task or for good; its key can do no more than you.',
      needs: 'IdentitiesProvision',
      body: fields({
        name: identityName,
        displayName: string.max(200).nullish(),
        bio: longText.nullish(),
        origin: longText.nullish(),
        type: IdentityType.nullish(),
        roleDefinitionId: int64.nullish(),
        toolProfileName: string.trim().min(1).max(100).nullish(),
        tags: tags.nullish(),
        provisionedByIdentityId: int64.nullish(),
        expiresAtUtc: dateTime.nullish(),
        ttlMinutes: int32.min(1).max(5_256_000).nullish(),
        createApiKey: boolean.nullish(),
        reuseExisting: boolean.nullish(),
      }),
      data: ProvisionedIdentityResult,
    }),
    adopt: op.post('/{id}/adopt', {
      doc: 'Take over an identity that agents made: it answers to a person then, and no longer counts as a child.',
      needs: 'IdentitiesProvision',
      body: fields({
        userId: int64.nullish(),
        displayName: string.min(1).max(200).nullish(),
        clearExpiry: boolean.nullish(),
      }),
      data: IdentityDto,
    }),
    clone: op.post('/{id}/clone', {
      doc: 'Copy an identity with chosen parts into a new one, which answers to you. Of its memories what you may read goes along, with the links among them, kept to the clone; it is inactive until it has all (ours: at most 1,000 memories and 200 rules).',
      needs: 'IdentitiesWrite',
      body: fields({
        name: identityName,
        displayName: string.min(1).max(200).nullish(),
        type: IdentityType.nullish(),
        includePersonality: boolean.nullish(),
        includeToolProfile: boolean.nullish(),
        includeConfigs: boolean.nullish(),
        includeMemories: boolean.nullish(),
        includeRules: boolean.nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: IdentityDto,
    }),
    children: op.get('/{identityId}/children', {
      doc: 'The identities that this one provisioned, how many more it may, and the tags that they have.',
      needs: 'IdentitiesRead',
      query: fields({
        liveOnly: boolean.optional(),
        tag: string.max(100).optional(),
        limit: int32.min(1).max(200).optional(),
      }),
      data: SwarmChildListResult,
    }),
    summary: op.get('/{identityId}/summary', {
      doc: 'What an identity is up to: its runs and their cost, and what awaits it.',
      needs: 'IdentitiesRead',
      query: fields({ days: int32.min(1).max(366).optional() }),
      data: IdentitySummaryDto,
    }),
    tags: op.get('/tags', {
      doc: 'Tags of identities with how many have each.',
      needs: 'IdentitiesRead',
      query: listQuery(['tag', 'count'], { q: string.max(200).optional() }),
      data: page(IdentityTagCountDto),
    }),
  },
);
