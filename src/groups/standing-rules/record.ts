// Standing rules as they are kept.
import type { RuleLinkKind } from '../../contract/enums.ts';
import { type Findable, type Kind, unindexed } from '../../memory/kinds.ts';
import type { Stand } from '../../memory/rules/rule.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { StandingRuleDto } from './dto.ts';

export interface RuleLink {
  memoryId: number;
  kind: RuleLinkKind;
  note: string | null;
  createdAt: Date;
}

export interface RuleDoc extends Omit<Stored<StandingRuleDto>, 'identityName'>, Findable {
  _id: number;
  tenantId: number;
  createdAt: Date;
  /** Since when it says what it says. */
  since: Date;
  /** What it said before, oldest first: forks see rules as they stood. */
  earlier: Stand[];
  links: RuleLink[];
  /** Marks of the requests that changed it, so that each does once. */
  marks: string[];
}

export const ruleRecord = record<RuleDoc>('standing_rules', {
  noun: 'standing rule',
  list: 'GET /api/standing-rules',
  inProject: true,
  order: '-createdAtUtc',
  staysSmall: true,
  search: ['assertion', 'rationale'],
  indexes: [
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, status: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, sourceEscalationId: 1 } },
    { keys: { status: 1, _id: 1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
  ],
});

/** A rule that nobody has said more of. */
export const plainRule = {
  rationale: null,
  identityId: null,
  projectId: null,
  supersededById: null,
  statusReason: null,
  groundingCount: 0,
  evidenceCount: 0,
  surfacedCount: 0,
  lastSurfacedAt: null,
  reviewBy: null,
  expiresAt: null,
  watchKindId: 'None' as const,
  lastReviewedAt: null,
  sourceEscalationId: null,
  earlier: [],
  links: [],
  marks: [],
  ...unindexed,
};

/** Rules are no secret within a tenant: whoever works there has to keep to them. */
export const ruleScope = 'all';

export const ruleKind: Kind<RuleDoc> = {
  name: 'standing-rules',
  textOf: ({ assertion, rationale }) => (rationale ? `${assertion}\n${rationale}` : assertion),
  scopesOf: () => [ruleScope],
};
