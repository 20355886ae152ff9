// The ledger of routines: every moment at which one was due becomes exactly one row, whoever writes it and however often.
import type { RoutineRunTriggerSource } from '../../../contract/enums.ts';
import { type Clock, clocksDifferMs } from '../../../kernel/clock.ts';
import type { Collection, Db } from '../../../ports/db.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import { shown } from '../../../ports/shown.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { isQuiet, parseQuietHours } from '../../../routines/quiet-hours.ts';
import { graceMs, type Verdict, verdictOf } from '../../../routines/verdict.ts';
import { dayIn, zoneOf } from '../../../routines/zone.ts';
import { AgentRoutineDto, AgentRoutineRunDto } from './dto.ts';
import {
  type LedgerDoc,
  ledgerRecord,
  openOutcomes,
  type RoutineDoc,
  routineRecord,
  type TriggerDoc,
  triggerRecord,
} from './record.ts';

/** A moment at which a routine is due, or asked for. */
export interface Moment {
  /** Unique in the routine: the same moment is entered once. */
  slot: string;
  source: RoutineRunTriggerSource;
  dueAt: number;
  /** No later one is due yet. */
  isNewest: boolean;
  detailJson?: string | null;
  lineage?: readonly number[];
  ignoreThrottles?: boolean;
}

export type Entered =
  | { kind: 'entered' | 'known'; row: LedgerDoc }
  | { kind: 'wait' }
  /** Asked for by hand, and refused: there is no row. */
  | { kind: 'refused'; reason: string };

export interface BookDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  /** Why nothing may begin in a project; null where something may. */
  blockedIn(tenantId: number, projectId: number | null): Promise<string | null>;
}

/** The slot of a moment that the calendar names. */
export const slotOf = (dueAt: number): string => new Date(dueAt).toISOString();

export type RoutineBook = ReturnType<typeof createRoutineBook>;

export function createRoutineBook(deps: BookDeps) {
  const { db, clock, publisher, blockedIn } = deps;
  const routines = db.collection(routineRecord.spec);
  const rows = db.collection(ledgerRecord.spec);
  const shared = {
    routines,
    rows,

    newestSeq: async (routineId: number): Promise<number> =>
      (await rows.findOne({ routineId }, { sort: { seq: -1 }, projection: { seq: 1 } }))?.seq ?? 0,

    /** What counts against the limits of a routine. */
    async limitsNow(routine: RoutineDoc, now: number) {
      const startDay = dayIn(zoneOf(routine.timezoneId), now);
      const [open, today, blocked] = await Promise.all([
        rows.countDocuments({ routineId: routine._id, outcomeId: { $in: openOutcomes } }),
        rows.countDocuments({ routineId: routine._id, startDay }),
        blockedIn(routine.tenantId, routine.projectId),
      ]);
      return { open, today, blocked, startDay };
    },

    /** The newest row says what the routine did last; telling it twice changes nothing. */
    async note(row: LedgerDoc): Promise<void> {
      const lastRunAt = row.startDay === null ? {} : { lastRunAt: row.createdAt };
      const $set = { lastOutcomeId: row.outcomeId, lastRunStatusId: row.runStatusId, lastSeq: row.seq, ...lastRunAt };
      await routines.updateOne({ _id: row.routineId, lastSeq: { $lte: row.seq } }, { $set });
    },

    async tellRow(row: LedgerDoc): Promise<void> {
      const data = toRowDto(row);
      await publisher.publish({ tenantId: row.tenantId, topics: ['routines'], type: 'routine.run', data });
    },

    async tellRoutine(routine: RoutineDoc): Promise<void> {
      const data = toRoutineDto(routine);
      await publisher.publish({ tenantId: routine.tenantId, topics: ['routines'], type: 'routine.updated', data });
    },
  };
  return { ...shared, ...entering({ ...deps, ...shared, now: () => clock.now() }) };
}

interface Kit extends BookDeps {
  rows: Collection<LedgerDoc>;
  newestSeq(routineId: number): Promise<number>;
  limitsNow(
    routine: RoutineDoc,
    now: number,
  ): Promise<{ open: number; today: number; blocked: string | null; startDay: string }>;
  note(row: LedgerDoc): Promise<void>;
  tellRow(row: LedgerDoc): Promise<void>;
  now(): number;
}

/** How moments become rows. */
function entering(kit: Kit) {
  const { rows, ids, newestSeq, note, tellRow, now } = kit;
  const nextId = () => ids.next(ledgerRecord.spec.name);
  const triggers = kit.db.collection(triggerRecord.spec);
  return {
    /**
     * Enters a moment. Rows of a routine stand one after the other by their numbers, so that limits are counted over all
     * rows before, also where several nodes enter at once.
     */
    async enter(routine: RoutineDoc, moment: Moment): Promise<Entered> {
      for (;;) {
        const seq = (await newestSeq(routine._id)) + 1;
        const known = await rows.findOne({ routineId: routine._id, slot: moment.slot });
        const at = now();
        if (known && !isOfClockAhead(known, at)) return { kind: 'known', row: known };
        const limits = await kit.limitsNow(routine, at);
        const verdict = judge(routine, moment, limits, at);
        if (verdict.kind === 'wait') return verdict;
        if (verdict.kind === 'skip' && moment.source === 'Manual') return { kind: 'refused', reason: verdict.reason };
        const starts = verdict.kind === 'start' ? { startDay: limits.startDay } : {};
        const row = { ...draft(routine, moment, verdict, at), ...starts, seq, _id: known?._id ?? (await nextId()) };
        // Another one took the number or the slot: counts are not what they were.
        if (!(await (known ? replaced(rows, known, row) : inserted(rows.insertOne(row))))) continue;
        await note(row);
        if (row.outcomeId !== 'Pending') await tellRow(row);
        return { kind: 'entered', row };
      }
    },

    /** Enters that a trigger named a routine again too soon: one row for all of them until it may wake it again. */
    async skipWake(routine: RoutineDoc, trigger: TriggerDoc, reason: string): Promise<void> {
      const { lastWakeAt } = (await triggers.findOne({ _id: trigger._id })) ?? trigger;
      const slot = `event:${trigger._id}:within:${lastWakeAt?.getTime() ?? 0}`;
      const verdict = { kind: 'skip', source: 'Event', outcome: 'SkippedThrottled', reason } as const;
      for (;;) {
        if (await rows.findOne({ routineId: routine._id, slot })) return;
        const moment = { slot, source: 'Event', dueAt: now(), isNewest: true } as const;
        const seq = (await newestSeq(routine._id)) + 1;
        const row = { ...draft(routine, moment, verdict, moment.dueAt), seq, _id: await nextId() };
        if (!(await inserted(rows.insertOne(row)))) continue;
        await note(row);
        return tellRow(row);
      }
    },

    /** Enters moments that were missed, many in one write; false where somebody else entered meanwhile. */
    async enterMissed(routine: RoutineDoc, moments: readonly Moment[], at: number): Promise<boolean> {
      let seq = await newestSeq(routine._id);
      const made: LedgerDoc[] = [];
      for (const moment of moments) {
        const verdict = unlimitedVerdict(routine, moment, at);
        if (verdict.kind !== 'skip') throw new Error(`the moment ${moment.slot} was not missed`);
        seq++;
        made.push({ ...draft(routine, moment, verdict, at), seq, _id: await nextId() });
      }
      if (!(await inserted(rows.insertMany(made)))) return false;
      const last = made.at(-1);
      if (last) {
        await note(last);
        // A server that was down for a month does not tell of each minute.
        await tellRow(last);
      }
      return true;
    },
  };
}

/** Whether a row says that a moment was missed or skipped, by a clock that was ahead: the moment has come only now. */
const isOfClockAhead = ({ startDay, triggerSourceId, createdAt }: LedgerDoc, now: number): boolean =>
  startDay === null && triggerSourceId !== 'Event' && createdAt.getTime() > now + clocksDifferMs;

/** Puts a row in the place of one that never started; false where somebody else has. */
async function replaced(rows: Collection<LedgerDoc>, { _id, createdAt }: LedgerDoc, row: LedgerDoc): Promise<boolean> {
  let count = 0;
  const write = async () => {
    count = (await rows.replaceOne({ _id, createdAt, startDay: null }, row)).matchedCount;
  };
  return (await inserted(write())) && count === 1;
}

/** Whether a write was the first of its kind. */
async function inserted(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

type Limits = Awaited<ReturnType<Kit['limitsNow']>>;

function judge(routine: RoutineDoc, moment: Moment, limits: Limits, now: number): Verdict {
  const { maxConcurrentRuns, maxRunsPerDay, missedRunPolicyId: missedRunPolicy } = routine;
  const zone = zoneOf(routine.timezoneId);
  const periods = parseQuietHours(routine.quietHoursJson);
  const free = moment.ignoreThrottles
    ? { maxConcurrentRuns: 0, maxRunsPerDay: 0 }
    : { maxConcurrentRuns, maxRunsPerDay };
  const situation = { ...limits, ...free, ...moment, now, missedRunPolicy };
  const verdict = verdictOf({ ...situation, quiet: isQuiet(periods, zone, moment.dueAt) });
  // What is caught up starts now, so it is now that must not be quiet.
  const isLate = moment.source === 'Schedule' && now - moment.dueAt > graceMs;
  return isLate ? verdictOf({ ...situation, quiet: isQuiet(periods, zone, now) }) : verdict;
}

const draft = (routine: RoutineDoc, moment: Moment, verdict: Exclude<Verdict, { kind: 'wait' }>, now: number) => ({
  tenantId: routine.tenantId,
  routineId: routine._id,
  projectId: routine.projectId,
  agentRunId: null,
  triggerSourceId: verdict.source,
  outcomeId: verdict.kind === 'start' ? ('Pending' as const) : verdict.outcome,
  dueAt: new Date(moment.dueAt),
  triggerDetailJson: moment.detailJson ?? null,
  reason: verdict.reason,
  briefVersion: routine.briefVersion,
  createdAt: new Date(now),
  ...{ runStatusId: null, runSummary: null, runCompletedAt: null, digest: null, startDay: null },
  slot: moment.slot,
  lineage: [...(moment.lineage ?? [])],
});

/** What a moment would come to if nothing limited the routine. */
export const unlimitedVerdict = (routine: RoutineDoc, moment: Moment, now: number): Verdict =>
  verdictOf({ ...unlimited, ...moment, now, missedRunPolicy: routine.missedRunPolicyId });

const unlimited = { open: 0, today: 0, maxConcurrentRuns: 0, maxRunsPerDay: 0, blocked: null, quiet: false };

export const toRowDto = (row: LedgerDoc): AgentRoutineRunDto => shown(AgentRoutineRunDto, row);
export const toRoutineDto = (routine: RoutineDoc): AgentRoutineDto => shown(AgentRoutineDto, routine);
