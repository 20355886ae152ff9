// The life of a row of the ledger: its run is started once, followed to its end, and what it came to is passed on.

import type { RunRecord } from '../../../../runtime/records.ts';
import { hasEnded } from '../../../../runtime/state/run.ts';
import type { RunDraft } from '../../../../runtime/systems/life/new-run.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Gate } from '../../../ports/queues.ts';
import type { RoutineBook } from './book.ts';
import { goalOf, outcomeOf, summaryOf } from './brief.ts';
import { causing } from './cause.ts';
import { type LedgerDoc, openOutcomes, type RoutineDoc, routineTag } from './record.ts';
import type { Reports } from './reports.ts';

export interface LifeDeps {
  book: RoutineBook;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  reports: Reports;
  /** Creates a run and starts it; the same key gives the same run. */
  createRun(draft: RunDraft): Promise<RunRecord>;
  findRun(id: number): Promise<RunRecord | null>;
  /** While it is closed rows stay Pending; the first look after that starts them. */
  gate: Pick<Gate, 'isPaused'>;
  /** What a routine's runs work as: identity, role and limits. @throws Fault where they may not any more */
  staff(routine: RoutineDoc): Promise<Pick<RunDraft, 'identityId'> & Partial<RunDraft>>;
}

/** Failures in a row that pause a routine. */
const pausesAfter = 3;
/** Trouble of the moment: the row waits for the next look. */
const passing: readonly string[] = ['STORE_UNAVAILABLE', 'SHUTTING_DOWN', 'NOT_READY', 'INTERNAL_ERROR'];
const lookedAt = 500;

export type RowLife = ReturnType<typeof createRowLife>;

export function createRowLife(deps: LifeDeps) {
  const { rows } = deps.book;
  const { start, settle, passOn } = stepsOf(deps);

  const each = async (found: readonly LedgerDoc[], work: (row: LedgerDoc) => Promise<unknown>): Promise<void> => {
    for (const row of found)
      await work(row).catch((error: unknown) =>
        deps.log.warn(
          { err: error, routine: row.routineId, row: row._id },
          'a run of a routine waits for the next look',
        ),
      );
  };
  const follow = async (row: LedgerDoc): Promise<void> =>
    settle(row, row.agentRunId === null ? null : await deps.findRun(row.agentRunId));

  return {
    start,
    async startLater(row: LedgerDoc): Promise<void> {
      await each([row], start);
    },
    /** A run has ended: its row follows at once. */
    async runEnded(runId: number): Promise<void> {
      const row = await rows.findOne({ agentRunId: runId, outcomeId: { $in: openOutcomes } });
      if (row) await each([row], follow);
    },
    /** What dead nodes left: rows without their run, runs that have ended, duties. Nodes may look at the same time. */
    async look(): Promise<void> {
      const page = { sort: { _id: 1 }, limit: lookedAt } as const;
      await each(await rows.find({ outcomeId: 'Pending' }, page).toArray(), start);
      for (let after = 0; ; ) {
        const running = await rows.find({ outcomeId: 'Running', _id: { $gt: after } }, page).toArray();
        await each(running, follow);
        if (running.length < lookedAt) break;
        after = running.at(-1)?._id ?? after;
      }
      await each(await rows.find({ duty: true }, page).toArray(), passOn);
    },
  };
}

/** The steps of a row, each of which may be made again after a crash. */
function stepsOf(deps: LifeDeps) {
  const { book, clock } = deps;
  const { rows, routines } = book;

  const passOn = async (row: LedgerDoc): Promise<void> => {
    await book.note(row);
    await book.tellRow(row);
    const routine = await routines.findOne({ _id: row.routineId });
    if (routine)
      // Inbox messages about the end name this routine as their cause.
      await causing({ lineage: [...row.lineage, row.routineId] }, async () => {
        await deps.reports.ended(routine, row);
        await pauseIfFailing(deps, routine, row);
      });
    await rows.updateOne({ _id: row._id }, { $unset: { duty: true } });
  };

  /** Ends a row that is open; what follows from it is a duty, done now or by the next look. */
  const end = async (row: LedgerDoc, to: Partial<LedgerDoc>): Promise<LedgerDoc | null> => {
    const $set = { ...to, duty: true as const, runCompletedAt: to.runCompletedAt ?? new Date(clock.now()) };
    const open = { _id: row._id, outcomeId: { $in: openOutcomes } };
    const ended = await rows.findOneAndUpdate(open, { $set }, { returnDocument: 'after' });
    if (ended) await passOn(ended);
    return ended;
  };

  const settle = async (row: LedgerDoc, run: RunRecord | null): Promise<void> => {
    if (!run) return void (await end(row, { outcomeId: 'Failed', reason: 'Its run is gone.' }));
    if (!hasEnded(run.status)) {
      const running = { _id: row._id, outcomeId: 'Running' as const };
      if (run.status !== row.runStatusId) await rows.updateOne(running, { $set: { runStatusId: run.status } });
      return;
    }
    const before = { routineId: row.routineId, seq: { $lt: row.seq }, digest: { $gt: '' } };
    const last = await rows.findOne(before, { sort: { seq: -1 }, projection: { digest: 1 } });
    const { outcome, digest } = outcomeOf(run, last?.digest ?? null);
    await end(row, {
      outcomeId: outcome,
      digest,
      runStatusId: run.status,
      runSummary: summaryOf(run),
      runCompletedAt: new Date(run.completedAt ?? clock.now()),
      ...(outcome === 'Failed' && { reason: run.failureReason ?? `Its run is ${run.status}.` }),
    });
  };

  const start = async (row: LedgerDoc): Promise<LedgerDoc> => {
    if (deps.gate.isPaused()) return row;
    const routine = await routines.findOne({ _id: row.routineId });
    if (!routine) return row;
    let run: RunRecord;
    try {
      run = await deps.createRun({ ...(await deps.staff(routine)), ...workOf(routine, row) });
    } catch (error) {
      if (!(error instanceof Fault) || passing.includes(error.code)) throw error;
      return (await end(row, { outcomeId: 'Failed', reason: `Its run could not be started: ${error.message}` })) ?? row;
    }
    const $set = { outcomeId: 'Running' as const, agentRunId: run.id, runStatusId: run.status };
    const pending = { _id: row._id, outcomeId: 'Pending' as const };
    const started = await rows.findOneAndUpdate(pending, { $set }, { returnDocument: 'after' });
    if (!started) return (await rows.findOne({ _id: row._id })) ?? row;
    await book.note(started);
    await book.tellRow(started);
    // The run may have ended before its row named it.
    const now = await deps.findRun(run.id);
    if (now && hasEnded(now.status)) await settle(started, now);
    return started;
  };

  return { start, settle, passOn };
}

const workOf = (routine: RoutineDoc, row: LedgerDoc) => ({
  tenantId: routine.tenantId,
  goal: goalOf(routine, row),
  projectId: routine.projectId,
  taskId: routine.taskId,
  startedByUserId: routine.createdByUserId,
  tags: [routineTag(routine._id)],
  treeDeadlineAt: null,
  autoStart: true,
  idempotencyKey: `${routine.tenantId}:routine:${row._id}`,
});

/** Counted in the ledger itself, so that counting again after a crash changes nothing. */
async function pauseIfFailing({ book, clock, reports }: LifeDeps, routine: RoutineDoc, row: LedgerDoc): Promise<void> {
  if (!routine.isEnabled || !routine.pauseOnRepeatedAuthFailure || row.outcomeId !== 'Failed') return;
  const ended = { routineId: routine._id, seq: { $gt: routine.failuresAfterSeq }, outcomeId: { $in: endings } };
  const last = await book.rows.find(ended, { sort: { seq: -1 }, limit: pausesAfter }).toArray();
  if (last.length < pausesAfter || last.some(({ outcomeId }) => outcomeId !== 'Failed')) return;
  const why = row.reason ?? row.runSummary ?? 'No reason is known.';
  const pausedReason = `${pausesAfter} runs failed in a row. The last one: ${why}`.slice(0, 1000);
  const $set = { isEnabled: false, nextDueAt: null, pausedAt: new Date(clock.now()), pausedReason };
  const same = { _id: routine._id, isEnabled: true, scheduleVersion: routine.scheduleVersion };
  const change = { $set, $inc: { scheduleVersion: 1 } };
  const paused = await book.routines.findOneAndUpdate(same, change, { returnDocument: 'after' });
  if (!paused) return;
  await reports.paused(paused, row, pausedReason);
  await book.tellRoutine(paused);
}

const endings = ['Succeeded', 'NoChange', 'ThresholdMet', 'Failed', 'Cancelled'] as const;
