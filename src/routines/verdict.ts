// What becomes of one moment at which a routine is due: it starts, waits, or is skipped with a reason. Pure.
import type { RoutineMissedRunPolicy, RoutineRunOutcome, RoutineRunTriggerSource } from '../contract/enums.ts';

/** All that decides over one moment. */
export interface Situation {
  source: RoutineRunTriggerSource;
  dueAt: number;
  now: number;
  /** No later moment is due yet. */
  isNewest: boolean;
  missedRunPolicy: RoutineMissedRunPolicy;
  /** Quiet hours apply: at the moment itself, or now for a moment that is caught up. */
  quiet: boolean;
  /** Why nothing may begin, e.g. an archived project. */
  blocked: string | null;
  /** Runs of the routine that have not ended. */
  open: number;
  /** 0 is no limit. */
  maxConcurrentRuns: number;
  /** Runs that it has started today, by the clocks of its zone. */
  today: number;
  /** 0 is no limit. */
  maxRunsPerDay: number;
}

export type Verdict =
  | { kind: 'start'; source: RoutineRunTriggerSource; reason: string | null }
  /** The moment waits: an earlier one that is caught up has not ended. */
  | { kind: 'wait' }
  | { kind: 'skip'; source: RoutineRunTriggerSource; outcome: RoutineRunOutcome; reason: string };

/** A moment that is later than this was missed: the server was down, or its clock was set. */
export const graceMs = 120_000;
/** What is older than this is not caught up. */
export const lookBackMs = 7 * 86_400_000;

export function verdictOf(situation: Situation): Verdict {
  const { dueAt, now, isNewest, missedRunPolicy } = situation;
  if (situation.source !== 'Schedule' || now - dueAt <= graceMs) return limited(situation, situation.source, null);
  const late = `It was due while nothing could run it, and noticed ${lateness(now - dueAt)} late.`;
  const missed = (why: string): Verdict => ({
    kind: 'skip',
    source: 'Schedule',
    outcome: 'Missed',
    reason: `${late} ${why}`,
  });
  if (missedRunPolicy === 'Skip') return missed('The policy is to skip what was missed.');
  if (now - dueAt > lookBackMs) return missed('What is older than 7 days is not caught up.');
  if (missedRunPolicy === 'RunOnce' && !isNewest) return missed('A later one stands for it.');
  return limited(situation, 'CatchUp', late);
}

function limited(situation: Situation, source: RoutineRunTriggerSource, note: string | null): Verdict {
  const { blocked, quiet, today, maxRunsPerDay, open, maxConcurrentRuns } = situation;
  const skip = (outcome: RoutineRunOutcome, why: string): Verdict => ({
    kind: 'skip',
    source,
    outcome,
    reason: note ? `${note} ${why}` : why,
  });
  if (blocked !== null) return skip('SkippedThrottled', blocked);
  if (quiet && source !== 'Manual') return skip('SkippedQuietHours', 'It is in the quiet hours of the routine.');
  if (maxRunsPerDay > 0 && today >= maxRunsPerDay)
    return skip(
      'SkippedThrottled',
      `The routine has started ${today} of the ${maxRunsPerDay} that it may start in a day.`,
    );
  if (maxConcurrentRuns > 0 && open >= maxConcurrentRuns) {
    if (source === 'CatchUp' && situation.missedRunPolicy === 'RunAll') return { kind: 'wait' };
    return skip(
      'SkippedOverlap',
      `${open} ${open === 1 ? 'run' : 'runs'} of the routine had not ended; ${maxConcurrentRuns} at a time is allowed.`,
    );
  }
  return { kind: 'start', source, reason: note };
}

function lateness(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
