// Reasons to review a rule: its date, its grounds, evidence against it, or that it never came up.
import type { RuleLinkKind, RuleWatchKind, StaleRuleReason } from '../../contract/enums.ts';
import { staleRules } from '../constants.ts';
import type { Stand } from './rule.ts';

export interface Watched extends Stand {
  createdAt: Date;
  reviewBy: Date | null;
  watchKindId: RuleWatchKind;
  lastReviewedAt: Date | null;
  lastSurfacedAt: Date | null;
  surfacedCount: number;
  links: readonly { memoryId: number; kind: RuleLinkKind }[];
}

/** Evidence on the grounds of a rule. */
export interface Evidence {
  /** The memory in its present state; undefined where it is gone. */
  memory(id: number): { updatedAt: Date; archivedAt: Date | null; supersededById: number | null } | undefined;
  /** Latest time at which a newer memory was linked as contradicting it; null for never. */
  contradictedAt(id: number): Date | null;
  /** Latest write of a fact whose key the rule's text names; null for never. */
  factChangedAt(rule: Watched): Date | null;
}

export interface Staleness {
  reason: StaleRuleReason;
  detail: string | null;
  since: Date;
  suggestedAction: string;
}

const confirmIt = 'Confirm it if it still holds (POST /api/standing-rules/{id}/confirm), else withdraw it.';

/** Reasons to review a rule, most pressing first. */
export function stalenessOf(rule: Watched, now: Date, evidence: Evidence): Staleness[] {
  const seen = rule.lastReviewedAt ?? rule.createdAt;
  const found: Staleness[] = [];
  const say = (reason: StaleRuleReason, since: Date, detail: string | null, suggestedAction = confirmIt) =>
    found.push({ reason, since, detail, suggestedAction });

  if (rule.expiresAt && rule.expiresAt <= now)
    say('Expired', rule.expiresAt, null, 'Give it a later expiresAtUtc and confirm it, or withdraw it.');
  if (rule.reviewBy && rule.reviewBy <= now) say('ReviewDue', rule.reviewBy, null);
  const gone = goneGround(rule, evidence);
  if (gone)
    say('GroundingArchived', gone.since ?? seen, gone.detail, 'Link another memory that it stands on, or withdraw it.');
  const against = contradiction(rule, seen, evidence);
  if (against) say('EvidenceContradicts', against.since, against.detail);
  const watched = watchOf(rule, seen, evidence);
  if (watched) say('WatchTriggered', watched.since, watched.detail);
  const quietSince = rule.lastSurfacedAt ?? seen;
  if (rule.surfacedCount === 0 && now.getTime() - quietSince.getTime() > staleRules.unusedMs)
    say(
      'NeverSurfaced',
      new Date(quietSince.getTime() + staleRules.unusedMs),
      null,
      'Give it a trigger that occurs, or withdraw it.',
    );
  return found;
}

function goneGround({ links }: Watched, { memory }: Evidence) {
  const grounds = links.filter(({ kind }) => kind === 'Grounding');
  const gone = grounds
    .map(({ memoryId }) => ({ memoryId, now: memory(memoryId) }))
    .filter(({ now }) => !now || now.archivedAt !== null || now.supersededById !== null);
  const first = gone[0];
  // A rule with several grounds stands while one is left.
  if (!first || gone.length < grounds.length) return null;
  const state = !first.now ? 'is gone' : first.now.archivedAt ? 'is archived' : 'is superseded by another one';
  return {
    detail: `Memory ${first.memoryId}, which it stands on, ${state}.`,
    since: first.now?.archivedAt ?? first.now?.updatedAt,
  };
}

function contradiction({ links }: Watched, seen: Date, { contradictedAt }: Evidence) {
  for (const { memoryId } of links) {
    const since = contradictedAt(memoryId);
    if (since && since > seen) return { since, detail: `Another memory contradicts memory ${memoryId}.` };
  }
  return null;
}

function watchOf(rule: Watched, seen: Date, { memory, factChangedAt }: Evidence) {
  if (rule.watchKindId === 'MemoryChanged')
    for (const { memoryId } of rule.links) {
      const changed = memory(memoryId)?.updatedAt;
      if (changed && changed > seen) return { since: changed, detail: `Memory ${memoryId} has changed.` };
    }
  if (rule.watchKindId === 'FactChanged') {
    const since = factChangedAt(rule);
    if (since && since > seen) return { since, detail: 'A fact that it names has changed.' };
  }
  return null;
}

/** Whether a rule's watch includes this reason for review. */
export const isWatched = ({ watchKindId }: Pick<Watched, 'watchKindId'>, { reason }: Staleness): boolean =>
  reason === 'WatchTriggered' ||
  reason === 'ReviewDue' ||
  reason === 'GroundingArchived' ||
  (reason === 'EvidenceContradicts' && watchKindId === 'EvidenceContradicts') ||
  (reason === 'NeverSurfaced' && watchKindId === 'Unused');
