// Standing rules: their text, when and for whom they apply, and their state at an earlier moment.
import type { RuleKind, RuleStatus, RuleTrigger } from '../../contract/enums.ts';

/** Statement of a rule; a change replaces it and keeps the old one. */
export interface Stand {
  assertion: string;
  rationale: string | null;
  trigger: RuleTrigger;
  kind: RuleKind;
  status: RuleStatus;
  /** Identity that it binds; null for every identity. */
  identityId: number | null;
  /** Project in which it applies; null for every project. */
  projectId: number | null;
  expiresAt: Date | null;
  /** Time since which the statement holds. */
  since: Date;
}

export interface Rule extends Stand {
  _id: number;
  tenantId: number;
  /** Earlier statements, oldest first. */
  earlier: Stand[];
}

/** Subject of a question for rules: an identity in a project. */
export interface Place {
  identityId: number | null;
  projectId: number | null;
}

/** Fields whose change makes a new statement. */
export const stated = [
  'assertion',
  'rationale',
  'trigger',
  'kind',
  'status',
  'identityId',
  'projectId',
  'expiresAt',
] as const satisfies readonly (keyof Stand)[];

export const standOf = (one: Stand): Stand =>
  Object.fromEntries([...stated, 'since' as const].map((name) => [name, one[name]])) as unknown as Stand;

/** Statement of a rule at a moment; null before it was made. */
export function stoodAt<R extends Rule>(rule: R, at: Date): R | null {
  if (rule.since <= at) return rule;
  const stand = rule.earlier.findLast(({ since }) => since <= at);
  return stand ? { ...rule, ...stand } : null;
}

/** A rule due for review applies until it is reviewed. */
const holding: ReadonlySet<RuleStatus> = new Set(['Active', 'UnderReview']);

export const holds = ({ status, expiresAt }: Pick<Stand, 'status' | 'expiresAt'>, now: number): boolean =>
  holding.has(status) && (expiresAt === null || expiresAt.getTime() > now);

export const concerns = ({ identityId, projectId }: Place, place: Place): boolean =>
  (identityId === null || identityId === place.identityId) && (projectId === null || projectId === place.projectId);

const weights: Record<RuleKind, number> = { Must: 0, MustNot: 1, Should: 2, ShouldNot: 3, Prefer: 4, Inform: 5 };

/** Whether a violation stops work; other rules are advice. */
export const isStrict = ({ kind }: Pick<Stand, 'kind'>): boolean => kind === 'Must' || kind === 'MustNot';

/** Order of rules: strictest first, then the most specific. */
export function byWeight(one: Rule, other: Rule): number {
  const scope = (rule: Rule) => (rule.identityId === null ? 1 : 0) + (rule.projectId === null ? 1 : 0);
  return weights[one.kind] - weights[other.kind] || scope(one) - scope(other) || one._id - other._id;
}
