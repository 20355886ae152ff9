// Standing rules: what agents must, must not and should do, at which moment, and why.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import {
  RuleKind,
  RuleLinkKind,
  RuleStatus,
  RuleTrigger,
  RuleWatchKind,
  StaleRuleReason,
} from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, dateTime, fields, float, int32, int64, nothing, string } from '../../contract/types.ts';
import { GlobalSearchHit } from '../global-search/dto.ts';
import { RuleCheckResult, StaleStandingRuleDto, StandingRuleDetailDto, StandingRuleDto } from './dto.ts';

const assertion = string.trim().min(1).max(2000);
const rationale = string.trim().max(4000);
const reason = string.trim().min(1).max(2000);
const limit = int32.min(1).max(200);
const read = 'RulesRead';
const write = 'RulesWrite';
const where = { identityId: int64.optional(), projectId: int64.optional() };

const basis = crud({
  noun: 'standing rule',
  dto: StandingRuleDto,
  read,
  write,
  sorts: [
    'createdAtUtc',
    'updatedAtUtc',
    'statusChangedAtUtc',
    'surfacedCount',
    'lastSurfacedAtUtc',
    'reviewByUtc',
    'id',
  ],
  filters: {
    q: string.max(200).optional(),
    status: RuleStatus.optional(),
    trigger: RuleTrigger.optional(),
    kind: RuleKind.optional(),
    ...where,
    includeGlobal: boolean.optional(),
  },
  create: {
    assertion,
    rationale: rationale.nullish(),
    trigger: RuleTrigger,
    kind: RuleKind,
    status: RuleStatus.nullish(),
    identityId: int64.nullish(),
    projectId: int64.nullish(),
    reviewByUtc: dateTime.nullish(),
    expiresAtUtc: dateTime.nullish(),
    watchKindId: RuleWatchKind.nullish(),
    groundingMemoryIds: z.array(int64).max(100).nullish(),
  },
  patch: {
    assertion: assertion.optional(),
    rationale: rationale.nullish(),
    trigger: RuleTrigger.optional(),
    kind: RuleKind.optional(),
    identityId: int64.nullish(),
    projectId: int64.nullish(),
    supersededById: int64.nullish(),
    statusReason: reason.nullish(),
    reviewByUtc: dateTime.nullish(),
    expiresAtUtc: dateTime.nullish(),
    watchKindId: RuleWatchKind.optional(),
  },
  docs: {
    list: "List rules, newest first; with identityId the identity's own, with includeGlobal also everybody's.",
    create:
      'State a rule. Must and MustNot stop work where they name tools or paths (in backticks) or ask for an approval; what an agent states is Proposed.',
    patch: 'Change a rule; forks of earlier moments still see what it said.',
  },
});

export const standingRules = group(
  'StandingRules',
  { base: '/api/standing-rules', doc: 'Rules that gate the work of agents, until somebody withdraws them.' },
  {
    list: basis.list,
    create: basis.create,
    check: op.get('/check', {
      doc: 'The rules that apply at a moment, and what would become of a call. For your own identity unless another is named.',
      needs: read,
      query: fields({
        trigger: RuleTrigger,
        ...where,
        context: string.max(20_000).optional(),
        toolName: string.max(200).optional(),
        limit: limit.default(50),
        markSurfaced: boolean.optional(),
      }),
      data: RuleCheckResult,
    }),
    search: op.get('/search', {
      doc: 'Search rules by words and meaning.',
      needs: read,
      query: fields({
        q: string.trim().min(1).max(2000),
        ...where,
        status: RuleStatus.optional(),
        limit: limit.default(20),
        minScore: float.min(0).max(1).optional(),
      }),
      data: z.array(GlobalSearchHit),
    }),
    stale: op.get('/stale', {
      doc: 'Rules that should be looked at again, and why: a date, a ground that is gone, what speaks against them, or that they never came up.',
      needs: read,
      query: fields({ ...where, reason: StaleRuleReason.optional(), limit: limit.default(50) }),
      data: z.array(StaleStandingRuleDto),
    }),
    get: op.get('/{id}', {
      doc: 'One rule with the memories that it stands on.',
      needs: read,
      data: StandingRuleDetailDto,
    }),
    patch: basis.patch,
    replace: op.put('/{id}', {
      doc: 'Replace what a rule says; what is left out is cleared.',
      needs: write,
      body: fields({
        assertion,
        rationale: rationale.nullish(),
        trigger: RuleTrigger,
        kind: RuleKind,
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        supersededById: int64.nullish(),
        statusReason: reason.nullish(),
        reviewByUtc: dateTime.nullish(),
        expiresAtUtc: dateTime.nullish(),
        watchKindId: RuleWatchKind.nullish(),
      }),
      data: StandingRuleDto,
    }),
    confirm: op.post('/{id}/confirm', {
      doc: 'Say that a rule holds: a proposal becomes active, one under review is so again. Agents cannot.',
      needs: write,
      body: fields({ statusReason: reason.nullish(), reviewByUtc: dateTime.nullish() }),
      data: StandingRuleDto,
    }),
    withdraw: op.post('/{id}/withdraw', {
      doc: 'End a rule; with supersededById, in favour of another one. Agents can withdraw their own proposals only.',
      needs: write,
      body: fields({ statusReason: reason, supersededById: int64.nullish() }),
      data: StandingRuleDto,
    }),
    link: op.post('/{id}/links', {
      doc: 'Say which memory a rule stands on (Grounding) or is borne out by (Evidence).',
      needs: write,
      body: fields({ memoryId: int64, linkKind: RuleLinkKind.nullish(), note: string.max(2000).nullish() }),
      data: StandingRuleDetailDto,
    }),
    unlink: op.delete('/{id}/links/{memoryId}', { doc: 'Drop the link to a memory.', needs: write, data: nothing }),
  },
);
