// Children of an identity, and what an identity is up to, as they are answered.
import { z } from 'zod';
import { AgentRunStatus, IdentityType, PresenceState } from '../../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string } from '../../../contract/types.ts';
import { IdentityDto } from '../dto.ts';

export const ProvisionedIdentityResult = dto('ProvisionedIdentityResult', {
  identity: IdentityDto,
  identityUserId: int64,
  rawApiKey: string.nullable(),
  apiKeyId: int64.nullable(),
  createdExisting: boolean,
});
export type ProvisionedIdentityResult = z.output<typeof ProvisionedIdentityResult>;

export const IdentityTagCountDto = dto('IdentityTagCountDto', { tag: string, count: int32 });
export type IdentityTagCountDto = z.output<typeof IdentityTagCountDto>;

export const SwarmChildDto = dto('SwarmChildDto', {
  identityId: int64,
  name: string,
  displayName: string,
  type: IdentityType,
  presenceState: PresenceState,
  isActive: boolean,
  runId: int64.nullable(),
  runStatus: AgentRunStatus.nullable(),
  goal: string.nullable(),
  roleName: string.nullable(),
  tags: z.array(string),
  spawnDepth: int32,
  tokensUsed: int64,
  costUsd: double,
  lastActiveAtUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type SwarmChildDto = z.output<typeof SwarmChildDto>;

export const SwarmChildListResult = dto('SwarmChildListResult', {
  children: z.array(SwarmChildDto),
  liveCount: int32,
  ceiling: int32,
  remaining: int32,
  tagVocabulary: z.array(IdentityTagCountDto),
});
export type SwarmChildListResult = z.output<typeof SwarmChildListResult>;

export const IdentitySummaryDto = dto('IdentitySummaryDto', {
  identityId: int64,
  name: string,
  displayName: string,
  presenceState: PresenceState,
  activeRunCount: int32,
  totalRunCount: int32,
  successRate: double,
  tokensUsed: int64,
  costUsd: double,
  memoryCount: int32,
  pinnedMemoryCount: int32,
  standingRuleCount: int32,
  openTaskCount: int32,
  dueHintCount: int32,
  unreadMessages: int32,
  pendingEscalationCount: int32,
  relationshipCount: int32,
  childCount: int32,
  topInterests: z.array(string),
  lastRunAtUtc: dateTime.nullable(),
  lastActiveAtUtc: dateTime.nullable(),
  days: int32,
});
export type IdentitySummaryDto = z.output<typeof IdentitySummaryDto>;
