// The context of a session with its receipt, as they are answered.
import { z } from 'zod';
import { HydrationSource } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';
import { FactDto } from '../facts/dto.ts';
import { IdentityDto, IdentityPersonality } from '../identities/dto.ts';
import { IdentityHintDto } from '../identities/hints/dto.ts';
import { InterestDto } from '../interests/dto.ts';
import { MemoryListDto, MemorySearchHit } from '../memories/dto.ts';
import { InboxMessageDto } from '../messages/dto.ts';
import { ProjectDto } from '../projects/dto.ts';
import { SessionHandoffDto } from '../session/dto.ts';
import { StandingRuleDto } from '../standing-rules/dto.ts';
import { ProjectTaskDto } from '../tasks/dto.ts';

export const HydrationSourceDto = dto('HydrationSourceDto', {
  source: HydrationSource,
  enabled: boolean,
  /** As many as were looked at: one more than the limit where there are more. */
  candidateCount: int32,
  includedCount: int32,
  tokenEstimate: int32,
  truncated: boolean,
  tookMs: int32,
});

/** Ours: one thing that was proposed for a context, and whether it is in it. */
export const HydrationItemDto = dto('HydrationItemDto', {
  source: HydrationSource,
  /** `memory`, `fact`, `rule`, `task`, `project`, `hint`, `message`, `interest`, `handoff` or `identity`. */
  kind: string,
  id: int64,
  why: string,
  tokens: int32,
  /** Why it is not told: `Budget`, `Duplicate` (another source tells it) or `Removed`; null for what is. */
  leftOut: string.nullable(),
});

/** Ours: what a context is made of, kept so that it can be replayed. It has no texts: what is forgotten is gone from it. */
export const HydrationReceiptDto = dto('HydrationReceiptDto', {
  id: int64,
  identityId: int64,
  projectId: int64.nullable(),
  /** The run or chat that began with it; null for a preview. */
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  preset: string,
  tokenBudget: int32.nullable(),
  tokenEstimate: int32,
  items: z.array(HydrationItemDto),
  createdAtUtc: dateTime,
});
export type HydrationReceiptDto = z.output<typeof HydrationReceiptDto>;

export const HydrationDto = dto('HydrationDto', {
  identityId: int64,
  identity: IdentityDto,
  preset: string,
  /** Null where the identity wants none. */
  systemPrompt: string.nullable(),
  personality: IdentityPersonality,
  identityMemories: z.array(MemoryListDto),
  pinnedMemories: z.array(MemoryListDto),
  recentMemories: z.array(MemoryListDto),
  projectMemories: z.array(MemoryListDto),
  surfacedMemories: z.array(MemorySearchHit),
  projects: z.array(ProjectDto),
  tasks: z.array(ProjectTaskDto),
  keyFacts: z.array(FactDto),
  facts: z.array(FactDto),
  standingRules: z.array(StandingRuleDto),
  hints: z.array(IdentityHintDto),
  pendingReplies: z.array(InboxMessageDto),
  interests: z.array(InterestDto),
  handoff: SessionHandoffDto.nullable(),
  /** The text that a model is told; null for the format Json. */
  markdown: string.nullable(),
  sources: z.array(HydrationSourceDto),
  tokenEstimate: int32,
  tokenBudget: int32.nullable(),
  /** Ours. */
  receipt: HydrationReceiptDto,
  generatedAtUtc: dateTime,
});
export type HydrationDto = z.output<typeof HydrationDto>;

/** Ours: a context as it would be without some of its items, from what is there now. */
export const HydrationReplayDto = dto('HydrationReplayDto', {
  receiptId: int64,
  markdown: string,
  tokenEstimate: int32,
  items: z.array(HydrationItemDto),
  /** Items of the receipt that are gone, or may not be known any more. */
  gone: z.array(HydrationItemDto),
});
export type HydrationReplayDto = z.output<typeof HydrationReplayDto>;

const RecalledItemDto = dto('RecalledItemDto', {
  /** A source of hydration, or `PersonalMemories`. */
  source: string,
  kind: string,
  id: int64,
  why: string,
  tokens: int32,
});

/** Ours: what was recalled for a reply. */
export const MemoryRecalledDto = dto('MemoryRecalledDto', {
  chatSessionId: int64,
  tokenEstimate: int32,
  items: z.array(RecalledItemDto),
});
