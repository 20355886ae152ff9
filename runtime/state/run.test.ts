import { describe, expect, test } from 'vitest';
import { type RunStatus, runStatuses } from '../records.ts';
import { runRecord } from '../testing/samples.ts';
import { councilTransitions } from './council.ts';
import { escalationTransitions, moveEscalation } from './escalation.ts';
import { clockOf, hasEnded, moveRun, nextStatus, type RunCommand, runTransitions, timeCommand } from './run.ts';

const targets = (status: RunStatus) => [...new Set(Object.values(runTransitions[status]))].sort();

describe('runs', () => {
  test('each status leads exactly where the interface says', () => {
    expect(Object.fromEntries(runStatuses.map((status) => [status, targets(status)]))).toEqual({
      Pending: ['Cancelled', 'Queued'],
      Queued: ['Cancelled', 'Failed', 'Paused', 'Running', 'TimedOut'],
      Running: [
        'BudgetExhausted',
        'Cancelled',
        'Completed',
        'Failed',
        'Paused',
        'Queued',
        'TimedOut',
        'WaitingForChildren',
        'WaitingForDecision',
      ],
      WaitingForChildren: ['BudgetExhausted', 'Cancelled', 'Paused', 'Running', 'TimedOut'],
      WaitingForDecision: ['Cancelled', 'Failed', 'Paused', 'Queued', 'TimedOut'],
      Paused: ['Cancelled', 'Queued', 'TimedOut'],
      BudgetExhausted: ['Cancelled', 'Queued', 'TimedOut'],
      Completed: ['Queued'],
      Failed: ['Queued'],
      TimedOut: ['Queued'],
      Cancelled: ['Queued'],
    });
  });

  const commands = [...new Set(Object.values(runTransitions).flatMap((row) => Object.keys(row)))] as RunCommand[];
  test.each(runStatuses)('%s: every other command is refused with the state and a hint', (status) => {
    const run = runRecord({ id: 1, status });
    for (const command of commands) {
      if (nextStatus(status, command)) {
        const { set, events } = moveRun(run, command, { now: 5, owner: 'n', reason: 'r' });
        expect(set.status).toBe(nextStatus(status, command));
        expect(events).toHaveLength(1);
        expect(set.runnable).toBe(set.status === 'Queued');
        expect(set.owner).toBe(set.status === 'Running' ? 'n' : null);
        expect(set.completedAt ?? null).toBe(hasEnded(set.status!) ? 5 : null);
      } else {
        expect(() => moveRun(run, command, { now: 5 })).toThrow(
          expect.objectContaining({
            code: 'INVALID_TRANSITION',
            message: expect.stringContaining(status),
            hint: expect.stringMatching(/\w/),
          }),
        );
      }
    }
  });

  test('wall-clock time counts at work and while waiting, not while paused', () => {
    let run = { ...runRecord({ id: 1, status: 'Queued', maxWallClockMs: 100 }) };
    const move = (command: RunCommand, steady: number, now = steady) => {
      run = { ...run, ...moveRun(run, command, { now, owner: 'n' }).set };
      run = { ...run, ...clockOf(run, run.status, { now, steady }) };
    };
    move('claim', 1000);
    expect(run).toMatchObject({ activeSince: 1000, deadlineAt: 1100 });
    move('pause', 1030);
    expect(run).toMatchObject({ activeMs: 30, activeSince: null, deadlineAt: null });
    move('resume', 9000);
    move('claim', 9010);
    expect(run.deadlineAt).toBe(9070);
    run = { ...run, treeDeadlineAt: 9050 };
    move('await-children', 9020);
    expect(run).toMatchObject({ activeMs: 50, deadlineAt: 9050 });
    // The wall clock is set back by an hour: the deadline is that much farther, the run's own limit is not.
    move('claim', 9030, 9030 - 3_600_000);
    expect(run).toMatchObject({ activeMs: 60, deadlineAt: 9070 });
    expect(timeCommand(run, { now: 9069 - 3_600_000, steady: 9069 })).toBeNull();
    expect(timeCommand(run, { now: 9070 - 3_600_000, steady: 9070 })).toBe('time-out');
    expect(timeCommand(run, { now: 9050, steady: 9040 })).toBe('pass-deadline');
  });
});

test('escalations and councils lead exactly where the interface says', () => {
  const reach = (table: Record<string, Record<string, string>>) =>
    Object.fromEntries(Object.entries(table).map(([status, row]) => [status, [...new Set(Object.values(row))].sort()]));
  expect(reach(escalationTransitions as never)).toEqual({
    Open: ['AwaitingHuman', 'Resolved', 'SupervisorReview', 'Withdrawn'],
    SupervisorReview: ['AwaitingHuman', 'Resolved', 'TimedOut', 'Withdrawn'],
    AwaitingHuman: ['Resolved', 'RevisionRequested', 'TimedOut', 'Withdrawn'],
    RevisionRequested: ['AwaitingHuman', 'Resolved', 'TimedOut', 'Withdrawn'],
    Resolved: [],
    TimedOut: [],
    Withdrawn: [],
  });
  expect(reach(councilTransitions as never)).toEqual({
    Convening: ['Cancelled', 'Deliberating', 'Failed'],
    Deliberating: ['Cancelled', 'Consensus', 'Failed', 'Voting'],
    Voting: ['Cancelled', 'Consensus', 'Failed', 'NoConsensus'],
    Consensus: [],
    NoConsensus: [],
    Failed: [],
    Cancelled: [],
  });
  expect(() => moveEscalation('Resolved', 'resolve')).toThrow(
    expect.objectContaining({ code: 'INVALID_TRANSITION', hint: expect.stringContaining('once') }),
  );
});
