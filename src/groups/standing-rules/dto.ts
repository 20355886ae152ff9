// Standing rules as they are answered and published.
import { z } from 'zod';
import {
  RuleKind,
  RuleLinkKind,
  RuleStatus,
  RuleTrigger,
  RuleWatchKind,
  StaleRuleReason,
} from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

const rule = {
  id: int64,
  guid: uuid,
  assertion: string,
  rationale: string.nullable(),
  trigger: RuleTrigger,
  kind: RuleKind,
  status: RuleStatus,
  /** Null: the rule is everybody's. */
  identityId: int64.nullable(),
  identityName: string.nullable(),
  /** Null: of every project. */
  projectId: int64.nullable(),
  supersededById: int64.nullable(),
  statusReason: string.nullable(),
  statusChangedAtUtc: dateTime,
  groundingCount: int32,
  evidenceCount: int32,
  surfacedCount: int32,
  lastSurfacedAtUtc: dateTime.nullable(),
  reviewByUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  watchKindId: RuleWatchKind,
  lastReviewedAtUtc: dateTime.nullable(),
  /** Ours: the escalation whose decision proposed it. */
  sourceEscalationId: int64.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const StandingRuleDto = dto('StandingRuleDto', rule);
export type StandingRuleDto = z.output<typeof StandingRuleDto>;

export const StandingRuleLinkDto = dto('StandingRuleLinkDto', {
  memoryId: int64,
  /** Null, as the excerpt is, where the caller may not read the memory. */
  memoryTitle: string.nullable(),
  kind: RuleLinkKind,
  note: string.nullable(),
  excerpt: string.nullable(),
  createdAtUtc: dateTime,
});
export type StandingRuleLinkDto = z.output<typeof StandingRuleLinkDto>;

export const StandingRuleDetailDto = dto('StandingRuleDetailDto', {
  ...rule,
  grounding: z.array(StandingRuleLinkDto),
  evidence: z.array(StandingRuleLinkDto),
  supersededByAssertion: string.nullable(),
});
export type StandingRuleDetailDto = z.output<typeof StandingRuleDetailDto>;

const RuleVerdict = dto('RuleVerdict', {
  ruleId: int64,
  /** `block`: the call is not made. `ask`: a person decides. `hold`: the model judges first. */
  verdict: z.enum(['block', 'ask', 'hold']),
  why: string,
});

export const RuleCheckResult = dto('RuleCheckResult', {
  trigger: RuleTrigger,
  rules: z.array(StandingRuleDto),
  noRulesApply: boolean,
  /** Ours: what would become of a call of `toolName` with `context` as its arguments. */
  verdicts: z.array(RuleVerdict),
});
export type RuleCheckResult = z.output<typeof RuleCheckResult>;

export const StaleStandingRuleDto = dto('StaleStandingRuleDto', {
  rule: StandingRuleDto,
  reason: StaleRuleReason,
  detail: string.nullable(),
  staleSinceUtc: dateTime,
  suggestedAction: string,
});
export type StaleStandingRuleDto = z.output<typeof StaleStandingRuleDto>;
