// What a standing rule is, when it applies and to whom, and what it said at an earlier moment.
import type { RuleKind, RuleStatus, RuleTrigger } from '../../contract/enums.ts';

/** What a rule says; a change replaces it and keeps the old one. */
export interface Stand {
  assertion: string;
  rationale: string | null;
  trigger: RuleTrigger;
  kind: RuleKind;
  status: RuleStatus;
  /** Null: of every identity. */
  identityId: number | null;
  /** Null: of every project. */
  projectId: number | null;
  expiresAt: Date | null;
  /** Since when it says so. */
  since: Date;
}

export interface Rule extends Stand {
  _id: number;
  tenantId: number;
  /** What it said before, oldest first. */
  earlier: Stand[];
}

/** For whom rules are asked. */
export interface Place {
  identityId: number | null;
  projectId: number | null;
}

/** A change of one of these makes another stand. */
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

/** What a rule said at a moment; null before it was stated. */
export function stoodAt<R extends Rule>(rule: R, at: Date): R | null {
  if (rule.since <= at) return rule;
  const stand = rule.earlier.findLast(({ since }) => since <= at);
  return stand ? { ...rule, ...stand } : null;
}

/** One that is to be looked at again holds until somebody has. */
const holding: ReadonlySet<RuleStatus> = new Set(['Active', 'UnderReview']);

export const holds = ({ status, expiresAt }: Pick<Stand, 'status' | 'expiresAt'>, now: number): boolean =>
  holding.has(status) && (expiresAt === null || expiresAt.getTime() > now);

export const concerns = ({ identityId, projectId }: Place, place: Place): boolean =>
  (identityId === null || identityId === place.identityId) && (projectId === null || projectId === place.projectId);

const weights: Record<RuleKind, number> = { Must: 0, MustNot: 1, Should: 2, ShouldNot: 3, Prefer: 4, Inform: 5 };

/** Whether work stops at it; the others are told. */
export const isStrict = ({ kind }: Pick<Stand, 'kind'>): boolean => kind === 'Must' || kind === 'MustNot';

/** The strictest first, the closest before those of everybody. */
export function byWeight(one: Rule, other: Rule): number {
  const scope = (rule: Rule) => (rule.identityId === null ? 1 : 0) + (rule.projectId === null ? 1 : 0);
  return weights[one.kind] - weights[other.kind] || scope(one) - scope(other) || one._id - other._id;
}
