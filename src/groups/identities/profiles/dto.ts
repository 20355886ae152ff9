// Profiles of an identity as they are answered: tools, work, messaging, memory and hydration.
import { z } from 'zod';
import { CompressionStrategy, MemoryType } from '../../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../../contract/types.ts';

export const IdentityToolProfileDto = dto('IdentityToolProfileDto', {
  /** The identity's own, for a profile has none besides. */
  id: int64,
  guid: uuid,
  identityId: int64,
  identityName: string.nullable(),
  name: string,
  description: string.nullable(),
  safeTools: z.array(string),
  optInTools: z.array(string),
  blockedTools: z.array(string),
  createdAtUtc: dateTime,
});
export type IdentityToolProfileDto = z.output<typeof IdentityToolProfileDto>;

export const IdentityWorkProfileDto = dto('IdentityWorkProfileDto', {
  identityId: int64,
  roleDefinitionId: int64.nullable(),
  roleName: string.nullable(),
  toolProfileName: string.nullable(),
  tags: z.array(string),
});
export type IdentityWorkProfileDto = z.output<typeof IdentityWorkProfileDto>;

export const EffectiveToolPolicyDto = dto('EffectiveToolPolicyDto', {
  identityId: int64,
  identityName: string.nullable(),
  safeTools: z.array(string),
  optInTools: z.array(string),
  blockedTools: z.array(string),
  appliedLayers: z.array(string),
});
export type EffectiveToolPolicyDto = z.output<typeof EffectiveToolPolicyDto>;

export const MessagingPolicy = dto('MessagingPolicy', {
  receiveEnabled: boolean,
  sendEnabled: boolean,
  /** Empty: everybody who is not blocked. */
  allowedSenders: z.array(int64),
  blockedSenders: z.array(int64),
  autoReply: boolean,
  /** Empty: everybody. */
  autoReplyTo: z.array(int64),
  /** Place of the least priority that gets in, in the order of `MessagePriority`. */
  minPriority: int32,
});
export type MessagingPolicy = z.output<typeof MessagingPolicy>;

export const CanMessageDto = dto('CanMessageDto', {
  senderId: int64,
  recipientId: int64,
  allowed: boolean,
  reason: string.nullable(),
  minPriority: int32,
  willAutoReply: boolean,
});
export type CanMessageDto = z.output<typeof CanMessageDto>;

export const SearchConfig = dto('SearchConfig', {
  limit: int32,
  minScore: float,
  semanticWeight: float,
  keywordWeight: float,
  recencyWeight: float,
  importanceWeight: float,
  linkExpansionDepth: int32,
  includeArchived: boolean,
  includeShared: boolean,
  types: z.array(MemoryType),
  rerankEnabled: boolean,
});

export const ContextCompressionConfig = dto('ContextCompressionConfig', {
  enabled: boolean,
  strategy: CompressionStrategy,
  triggerAtPercent: int32,
  targetPercent: int32,
  keepRecentMessages: int32,
  keepToolResults: boolean,
  preservePinned: boolean,
  summaryModelId: string.nullable(),
  maxSummaryTokens: int32,
});

export const IdentityMemoryConfig = dto('IdentityMemoryConfig', {
  hebbianLinkingEnabled: boolean,
  linkStrengthIncrement: float,
  decayEnabled: boolean,
  decayAfterDays: int32,
  decayAmount: int32,
  decayFloor: int32,
  autoArchiveEnabled: boolean,
  archiveAfterDays: int32,
  archiveImportanceThreshold: int32,
  encryptionEnabled: boolean,
  encryptionAlgorithm: string,
  defaultSearchConfig: SearchConfig.nullable(),
  compressionConfig: ContextCompressionConfig.nullable(),
});
export type IdentityMemoryConfig = z.output<typeof IdentityMemoryConfig>;

export const IdentityHydrationConfig = dto('IdentityHydrationConfig', {
  preset: string,
  disabledSources: z.array(string),
  enabledSources: z.array(string),
  identityMemoryLimit: int32,
  pinnedMemoryLimit: int32,
  recentMemoryLimit: int32,
  projectMemoryLimit: int32,
  projectLimit: int32,
  taskLimit: int32,
  taskMinPriority: int32,
  keyFactLimit: int32,
  factLimit: int32,
  minFactImportance: int32,
  pendingReplyLimit: int32,
  generateSystemPrompt: boolean,
  surfacedMemoryEnabled: boolean,
  standingRulesMode: string,
});
export type IdentityHydrationConfig = z.output<typeof IdentityHydrationConfig>;
