// Covers the moments at which routines were due: enters each of them, starts what is to start, and says when to wake next.
import { type Clock, clocksDifferMs } from '../../../kernel/clock.ts';
import { dueAfter } from '../../../routines/calendar.ts';
import { type Moment, type RoutineBook, slotOf, unlimitedVerdict } from './book.ts';
import { type LedgerDoc, nextDueOf, type RoutineDoc, scheduleOf } from './record.ts';

interface Deps {
  book: RoutineBook;
  clock: Clock;
  /** Starts the run of a row that is Pending. */
  start(row: LedgerDoc): Promise<void>;
  /** Whether the server is closing: the rest is for another node, or the next start. */
  isClosing(): boolean;
}

/** Rows of missed moments that are written at once. */
const batchSize = 500;
/** What was missed longer ago is not entered: a clock that is years ahead would have millions of rows written. */
const enteredMs = 31 * 86_400_000;
/** Routines that are looked at together. */
const routinesAtOnce = 200;

export type Cover = ReturnType<typeof createCover>;

export function createCover({ book, clock, start, isClosing }: Deps) {
  const { routines } = book;
  const save = saving(book);
  const takeBack = takingBack(book);

  const cover = async (routine: RoutineDoc): Promise<void> => {
    const now = clock.now();
    let coveredTo = routine.coveredTo.getTime();
    let missed: Moment[] = [];
    const flush = async () => {
      const batch = missed;
      missed = [];
      if (batch.length > 1 && (await book.enterMissed(routine, batch, now)))
        coveredTo = batch.at(-1)?.dueAt ?? coveredTo;
      else for (const moment of batch) await enterOne(moment);
      if (batch.length >= batchSize) await save(routine, coveredTo);
    };
    const enterOne = async (moment: Moment): Promise<boolean> => {
      const entered = await book.enter(routine, moment);
      if (entered.kind === 'wait') return false;
      coveredTo = moment.dueAt;
      if (entered.kind === 'entered' && entered.row.outcomeId === 'Pending') await start(entered.row);
      return true;
    };
    for (const moment of momentsOf(routine, now)) {
      if (isClosing() || clock.now() < now - clocksDifferMs) return flush().then(() => save(routine, coveredTo));
      if (isPlainlyMissed(routine, moment, now)) {
        missed.push(moment);
        if (missed.length >= batchSize) await flush();
        continue;
      }
      await flush();
      // Moments after it wait behind it, in order.
      if (!(await enterOne(moment))) return save(routine, coveredTo);
    }
    await flush();
    await save(routine, Math.max(coveredTo, now));
  };

  return {
    cover,
    /** Covers all routines that are due. */
    async all(): Promise<void> {
      await takeBack(clock.now());
      let after = 0;
      for (;;) {
        const due = await routines
          .find(
            { isEnabled: true, nextDueAt: { $lte: new Date(clock.now()) }, _id: { $gt: after } },
            { sort: { _id: 1 }, limit: routinesAtOnce },
          )
          .toArray();
        for (const routine of due) {
          if (isClosing()) return;
          await cover(routine);
          after = routine._id;
        }
        if (due.length < routinesAtOnce) return;
      }
    },
    /** When the next routine is due, in ms; null when none is. */
    async nextWake(): Promise<number | null> {
      const soon = { isEnabled: true, nextDueAt: { $gt: new Date(clock.now()) } };
      const next = await routines.findOne(soon, { sort: { nextDueAt: 1 }, projection: { nextDueAt: 1 } });
      return next?.nextDueAt?.getTime() ?? null;
    },
  };
}

/**
 * A routine that is covered to a time that is yet to come was covered by a clock that was ahead: it would not be due
 * until then. Its rows stay: what ran does not run again, and what was only missed is entered anew.
 */
const takingBack =
  ({ routines }: RoutineBook) =>
  async (now: number): Promise<void> => {
    const ahead = { isEnabled: true, coveredTo: { $gt: new Date(now + clocksDifferMs) } };
    for (const routine of await routines.find(ahead).toArray()) {
      const { _id, coveredTo, scheduleVersion } = routine;
      const $set = { coveredTo: new Date(now), nextDueAt: nextDueOf(routine, now) };
      await routines.updateOne({ _id, coveredTo, scheduleVersion }, { $set });
    }
  };

/** Moments of a routine up to `now`, each with whether a later one is due, too. */
function* momentsOf(routine: RoutineDoc, now: number): Generator<Moment> {
  let held: number | null = null;
  const moment = (dueAt: number, isNewest: boolean): Moment => ({
    slot: slotOf(dueAt),
    source: 'Schedule',
    dueAt,
    isNewest,
  });
  const from = Math.max(routine.coveredTo.getTime(), now - enteredMs);
  for (const dueAt of dueAfter(scheduleOf(routine), from)) {
    if (dueAt > now) break;
    if (held !== null) yield moment(held, false);
    held = dueAt;
  }
  if (held !== null) yield moment(held, true);
}

/** What is missed whatever the limits say is written in one go. */
const isPlainlyMissed = (routine: RoutineDoc, moment: Moment, now: number) =>
  unlimitedVerdict(routine, moment, now).kind === 'skip';

/** Notes how far a routine is covered, and when it is due next. */
const saving =
  ({ routines }: RoutineBook) =>
  async (routine: RoutineDoc, coveredTo: number): Promise<void> => {
    // A schedule that was changed meanwhile has its own beginning.
    const same = {
      _id: routine._id,
      scheduleVersion: routine.scheduleVersion,
      coveredTo: { $lte: new Date(coveredTo) },
    };
    const $set = { coveredTo: new Date(coveredTo), nextDueAt: nextDueOf(routine, coveredTo) };
    await routines.updateOne(same, { $set });
  };
