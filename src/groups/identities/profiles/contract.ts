// Profiles of an identity: each can be read and replaced, and holds from the next turn of its runs and chats on.
import { z } from 'zod';
import { MemoryType, MessagePriority } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { fields, float, int32, int64, string } from '../../../contract/types.ts';
import { IdentityPersonality } from '../dto.ts';
import {
  CanMessageDto,
  ContextCompressionConfig,
  EffectiveToolPolicyDto,
  IdentityMemoryConfig,
  IdentityToolProfileDto,
  IdentityWorkProfileDto,
  MessagingPolicy,
  SearchConfig,
} from './dto.ts';

const label = string.trim().min(1).max(100);
const line = string.max(500);
const lines = z.array(string.trim().min(1).max(500)).max(100);
const pattern = string.max(200).regex(/^(?:[\w.:/-]+\*?|\*)$/, 'a tool name, or the beginning of one and a trailing *');
const tools = z.array(pattern).max(500);
const ids = z.array(int64.min(1)).max(1000);
export const tags = z.array(string.trim().min(1).max(100)).max(50);
const days = int32.min(0).max(36_500);
const importance = int32.min(0).max(10);
const share = float.min(0).max(1);
const percent = int32.min(1).max(100);

/** What a request may say of a personality. */
export const personalityFields = IdentityPersonality.extend({
  tone: line,
  traits: lines,
  focusAreas: lines,
  boundaries: lines,
  greetingStyle: line,
  uncertaintyHandling: line,
  customInstructions: string.max(32_000).nullish(),
}).meta({ id: 'IdentityPersonalityInput' });

export const identityProfiles = group(
  'Identities',
  { id: 'IdentityProfiles', base: '/api/identities/{identityId}', doc: 'What an identity is like and what it may do.' },
  {
    personality: op.get('/personality', {
      doc: 'How the identity speaks and what it cares about.',
      needs: 'IdentitiesRead',
      data: IdentityPersonality,
    }),
    setPersonality: op.put('/personality', {
      doc: 'Replace the personality; runs, chats and /v1 of the identity speak with it from their next turn on.',
      needs: 'IdentitiesWrite',
      body: fields(personalityFields.shape),
      data: IdentityPersonality,
    }),
    toolProfile: op.get('/tool-profile', {
      doc: 'The tools that the identity itself allows its runs and chats.',
      needs: 'IdentitiesRead',
      data: IdentityToolProfileDto,
    }),
    setToolProfile: op.put('/tool-profile', {
      doc: 'Replace the tool profile. It only narrows what roles and other profiles allow; empty safeTools leave all.',
      needs: 'IdentitiesWrite',
      body: fields({
        name: label,
        description: string.max(2000).nullish(),
        safeTools: tools,
        optInTools: tools,
        blockedTools: tools,
      }),
      data: IdentityToolProfileDto,
    }),
    workProfile: op.get('/work-profile', {
      doc: 'The role and the tool profile that runs of the identity get which name none.',
      needs: 'IdentitiesRead',
      data: IdentityWorkProfileDto,
    }),
    setWorkProfile: op.put('/work-profile', {
      doc: 'Replace the work profile and the tags of the identity.',
      needs: 'IdentitiesWrite',
      body: fields({ roleDefinitionId: int64.nullish(), toolProfileName: label.nullish(), tags }),
      data: IdentityWorkProfileDto,
    }),
    messagingPolicy: op.get('/messaging-policy', {
      doc: 'Who may write to the identity, and to whom it answers by itself.',
      needs: 'IdentitiesRead',
      data: MessagingPolicy,
    }),
    setMessagingPolicy: op.put('/messaging-policy', {
      doc: 'Replace the messaging policy; it holds for messages sent from now on.',
      needs: 'IdentitiesWrite',
      body: fields({
        ...MessagingPolicy.shape,
        allowedSenders: ids,
        blockedSenders: ids,
        autoReplyTo: ids,
        minPriority: int32.min(0).max(MessagePriority.options.length - 1),
      }),
      data: MessagingPolicy,
    }),
    memoryConfig: op.get('/memory-config', {
      doc: 'How memories of the identity link, fade and are searched.',
      needs: 'IdentitiesRead',
      data: IdentityMemoryConfig,
    }),
    setMemoryConfig: op.put('/memory-config', {
      doc: 'Replace the memory configuration; memories take it up when they come.',
      needs: 'IdentitiesWrite',
      body: fields({
        ...IdentityMemoryConfig.shape,
        linkStrengthIncrement: share,
        decayAfterDays: days,
        decayAmount: importance,
        decayFloor: importance,
        archiveAfterDays: days,
        archiveImportanceThreshold: importance,
        encryptionAlgorithm: z.literal('aes-256-gcm'),
        defaultSearchConfig: fields({
          ...SearchConfig.shape,
          limit: int32.min(1).max(200),
          minScore: share,
          semanticWeight: share,
          keywordWeight: share,
          recencyWeight: share,
          importanceWeight: share,
          linkExpansionDepth: int32.min(0).max(5),
          types: z.array(MemoryType).max(MemoryType.options.length),
        }).nullish(),
        compressionConfig: fields({
          ...ContextCompressionConfig.shape,
          triggerAtPercent: percent,
          targetPercent: percent,
          keepRecentMessages: int32.min(0).max(1000),
          summaryModelId: string.max(200).nullish(),
          maxSummaryTokens: int32.min(1).max(1_000_000),
        }).nullish(),
      }),
      data: IdentityMemoryConfig,
    }),
    effectiveTools: op.get('/effective-tools', {
      doc: 'Which tools a run of the identity could use, by the layers that apply; of a role, or as a run that is there.',
      needs: 'IdentitiesRead',
      query: fields({ role: string.trim().min(1).max(100).optional(), runId: int64.optional() }),
      data: EffectiveToolPolicyDto,
    }),
  },
);

export const canMessage = group(
  'Identities',
  { id: 'IdentityMessaging', base: '/api/identities/{senderId}', doc: 'Whether identities may write to each other.' },
  {
    check: op.get('/can-message/{recipientId}', {
      doc: 'Whether a message of this priority from one identity would reach another.',
      needs: 'IdentitiesRead',
      query: fields({ priority: MessagePriority.optional() }),
      data: CanMessageDto,
    }),
  },
);
