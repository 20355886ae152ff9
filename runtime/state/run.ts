// The life of a run as pure data: the status table, and the fields that change with each transition.
import { Fault } from '../../src/kernel/fault.ts';
import {
  type AgentEventType,
  type ChangeEvent,
  type Duty,
  type EventLevel,
  type RunRecord,
  type RunResult,
  type RunStatus,
  runStatuses,
  type SpentLimit,
} from '../records.ts';

export type RunCommand =
  | 'start'
  | 'claim'
  | 'complete'
  | 'fail'
  | 'exhaust'
  | 'await-children'
  | 'await-decision'
  | 'decide'
  | 'pause'
  | 'resume'
  | 'top-up'
  | 'restart'
  | 'cancel'
  | 'time-out'
  | 'pass-deadline'
  | 'give-back';

const restart = { restart: 'Queued' } as const;
const table: Record<RunStatus, Partial<Record<RunCommand, RunStatus>>> = {
  Pending: { start: 'Queued', cancel: 'Cancelled' },
  Queued: {
    claim: 'Running',
    pause: 'Paused',
    cancel: 'Cancelled',
    'time-out': 'TimedOut',
    'pass-deadline': 'TimedOut',
    fail: 'Failed',
  },
  Running: {
    complete: 'Completed',
    fail: 'Failed',
    exhaust: 'BudgetExhausted',
    'await-children': 'WaitingForChildren',
    'await-decision': 'WaitingForDecision',
    'give-back': 'Queued',
    pause: 'Paused',
    cancel: 'Cancelled',
    'time-out': 'TimedOut',
    'pass-deadline': 'TimedOut',
  },
  WaitingForChildren: {
    claim: 'Running',
    exhaust: 'BudgetExhausted',
    pause: 'Paused',
    cancel: 'Cancelled',
    'time-out': 'TimedOut',
    'pass-deadline': 'TimedOut',
  },
  WaitingForDecision: {
    decide: 'Queued',
    fail: 'Failed',
    cancel: 'Cancelled',
    pause: 'Paused',
    'time-out': 'TimedOut',
    'pass-deadline': 'TimedOut',
  },
  Paused: { resume: 'Queued', cancel: 'Cancelled', 'pass-deadline': 'TimedOut' },
  BudgetExhausted: {
    'top-up': 'Queued',
    resume: 'Queued',
    restart: 'Queued',
    cancel: 'Cancelled',
    'pass-deadline': 'TimedOut',
  },
  Completed: restart,
  Failed: restart,
  TimedOut: restart,
  Cancelled: restart,
};

/** The whole table, for tests against the interface. */
export const runTransitions = table;

const ended: readonly RunStatus[] = ['Completed', 'Failed', 'TimedOut', 'Cancelled'];

/** Whether the run has ended; only a restart continues it. */
export const hasEnded = (status: RunStatus) => ended.includes(status);

/** Whether a run of this server has ended; an imported one is written to after its end. */
export const isAtRest = (run: Pick<RunRecord, 'status' | 'importedAt'>) =>
  hasEnded(run.status) && run.importedAt == null;

/** Whether it has told all of it, too: its log grows no more, unless it goes on again. */
export const isLogAtRest = (run: Pick<RunRecord, 'status' | 'importedAt' | 'publishedSeq' | 'eventCount'>) =>
  isAtRest(run) && run.publishedSeq >= run.eventCount;

/** Statuses of runs that have not ended. */
export const unended: readonly RunStatus[] = runStatuses.filter((status) => !hasEnded(status));

/** The status after `command`, or null when the state does not allow it. */
export const nextStatus = (status: RunStatus, command: RunCommand): RunStatus | null => table[status][command] ?? null;

const hints: Record<RunStatus, string> = {
  Pending: 'Start it with POST /api/agent/runs/{id}/start.',
  Queued: 'It waits for a worker. Pause or cancel it, or follow it at GET /api/events?topics=run:{id}.',
  Running: 'Pause or cancel it first, or send it a message with POST /api/agent/runs/{id}/messages.',
  WaitingForChildren: 'It waits for child runs: see GET /api/agent/runs/{id}/children.',
  WaitingForDecision: 'Answer its escalation with POST /api/agent/escalations/{id}/resolve.',
  Paused: 'Continue it with POST /api/agent/runs/{id}/resume.',
  BudgetExhausted: 'exhaustedBy names the limit: add to it with POST /api/agent/runs/{id}/pool and resume.',
  Completed: 'It has ended. Use POST /api/agent/runs/{id}/restart or /fork to go on.',
  Failed: 'It has ended. Use POST /api/agent/runs/{id}/restart or /fork to go on.',
  TimedOut: 'It has ended. Use POST /api/agent/runs/{id}/restart or /fork to go on.',
  Cancelled: 'It has ended. Use POST /api/agent/runs/{id}/restart or /fork to go on.',
};

/** The Fault for a `command` that this status does not allow, with the next useful call as hint. */
export const refusal = (run: Pick<RunRecord, 'id' | 'status'>, command: string) =>
  new Fault('INVALID_TRANSITION', `Run ${run.id} is ${run.status}: it cannot ${command.replaceAll('-', ' ')}.`, {
    hint: hints[run.status].replaceAll('{id}', String(run.id)),
  });

/** @throws Fault INVALID_TRANSITION for a run of another server: its messages and files are there */
export function requireOwn(run: Pick<RunRecord, 'id' | 'importedAt'>, command: string): void {
  if (run.importedAt === undefined) return;
  throw new Fault('INVALID_TRANSITION', `Run ${run.id} was imported: it cannot ${command}.`, {
    hint: 'It is kept to be read. Create a run with its goal by POST /api/agent/runs.',
  });
}

export interface MoveDetails {
  now: number;
  reason?: string | null;
  by?: string | null;
  owner?: string;
  result?: RunResult;
  spent?: SpentLimit | null;
}

/** The change that carries out `command`; Fault INVALID_TRANSITION when the state does not allow it. */
export function moveRun(
  run: RunRecord,
  command: RunCommand,
  details: MoveDetails,
): { set: Partial<RunRecord>; events: ChangeEvent[] } {
  const status = nextStatus(run.status, command);
  if (!status) throw refusal(run, command);
  const set: Partial<RunRecord> = { status };
  set.runnable = status === 'Queued';
  if (status === 'Queued') set.runnableSince = details.now;
  if (status === 'Running') {
    set.owner = details.owner ?? null;
    set.fence = run.fence + 1;
    set.startedAt = run.startedAt ?? details.now;
  } else {
    set.owner = null;
  }
  if (command === 'exhaust') {
    set.exhausted = details.spent?.limit.startsWith('pool') ? 'pool' : 'run';
    set.spentLimit = details.spent ?? null;
  }
  if (command === 'resume' || command === 'top-up') Object.assign(set, { exhausted: null, spentLimit: null });
  if (hasEnded(status)) Object.assign(set, endOf(run, status, details));
  // A stop request is done with the transition it asked for, and obsolete once the run has ended.
  if (status === 'Paused' || hasEnded(status)) set.control = null;
  return { set, events: [eventOf(run, command, status, details)] };
}

/** Wall clock for deadlines, steady clock for limits, both in ms; see Clock. */
export interface Times {
  now: number;
  steady: number;
}

/** Time in ms that a run has used of maxWallClockMs. */
export const activeTime = (run: Pick<RunRecord, 'activeMs' | 'activeSince'>, steady: number): number =>
  run.activeMs + (run.activeSince === null ? 0 : Math.max(0, steady - run.activeSince));

/**
 * Time accounting of a run that has, or takes, this status: time counts while it works or waits, not while it is
 * paused or exhausted. `deadlineAt` is the time of the next check on the steady clock.
 */
export function clockOf(run: RunRecord, status: RunStatus, { now, steady }: Times): Partial<RunRecord> {
  const counts = status === 'Running' || (run.startedAt !== null && isTimed(status));
  const activeMs = activeTime(run, steady);
  const own = counts ? steady + Math.max(0, run.maxWallClockMs - activeMs) : null;
  const tree = hasEnded(status) || run.treeDeadlineAt === null ? null : steady + Math.max(0, run.treeDeadlineAt - now);
  const deadlineAt = own === null ? tree : tree === null ? own : Math.min(own, tree);
  return { activeMs, activeSince: counts ? steady : null, deadlineAt };
}

const isTimed = (status: RunStatus) =>
  status === 'Queued' || status === 'Running' || status === 'WaitingForChildren' || status === 'WaitingForDecision';

/** Whether the tree's deadline has passed for a run, by the wall clock. */
export const isPastDeadline = (run: RunRecord, now: number) => run.treeDeadlineAt !== null && run.treeDeadlineAt <= now;

/** Command that ends a run past its time: the tree's deadline, or its own limit; null before either. */
export function timeCommand(run: RunRecord, { now, steady }: Times): 'pass-deadline' | 'time-out' | null {
  if (isPastDeadline(run, now)) return 'pass-deadline';
  return run.activeSince !== null && activeTime(run, steady) >= run.maxWallClockMs ? 'time-out' : null;
}

function endOf(run: RunRecord, status: RunStatus, details: MoveDetails): Partial<RunRecord> {
  const duties: Duty[] = ['stop-children'];
  if (run.reviewWorktreePath !== null) duties.push('hand-over');
  // Results are delivered before a child counts as ended: a parent without open children has read all of them.
  if (run.parentRunId !== null) duties.push('deliver-result');
  duties.push('leave-tree');
  if (run.escalated) duties.push('withdraw-escalations');
  return {
    completedAt: details.now,
    failureReason: status === 'Completed' ? null : (details.reason ?? null),
    result: details.result ?? run.result,
    progressSummary: details.result?.summary ?? run.progressSummary,
    waiting: [],
    duties: [...new Set([...run.duties, ...duties])],
    unfinished: true,
  };
}

const named: Partial<Record<RunCommand, [AgentEventType, string, EventLevel?]>> = {
  start: ['RunQueued', 'Queued'],
  complete: ['RunCompleted', 'Completed'],
  fail: ['RunFailed', 'Failed', 'Error'],
  exhaust: ['BudgetExhausted', 'Budget spent', 'Warning'],
  decide: ['RunResumed', 'Decision received'],
  pause: ['RunPaused', 'Paused'],
  resume: ['RunResumed', 'Resumed'],
  'top-up': ['RunResumed', 'Resumed with more budget'],
  restart: ['RunRestarted', 'Restarted'],
  cancel: ['RunCancelled', 'Cancelled', 'Warning'],
  'time-out': ['RunTimedOut', 'Out of time', 'Error'],
  'pass-deadline': ['RunTimedOut', 'Past the deadline of its tree', 'Error'],
  'give-back': ['RunRecovered', 'Handed back to the queue'],
};

function eventOf(run: RunRecord, command: RunCommand, status: RunStatus, details: MoveDetails) {
  const [type, title, level]: [AgentEventType, string, EventLevel?] =
    command === 'claim'
      ? run.startedAt === null
        ? ['RunStarted', 'Started']
        : ['StatusChanged', 'Continued']
      : (named[command] ?? ['StatusChanged', status]);
  return {
    type,
    title,
    level: level ?? ('Information' as const),
    message: details.reason ?? details.result?.summary ?? null,
    payload: { from: run.status, to: status, ...(details.by ? { by: details.by } : {}) },
    movedTo: status,
  };
}
