// Routines, their triggers and the rows of their ledger as they are kept.
import type { RoutineScheduleKind } from '../../../contract/enums.ts';
import { type Draft, record, type Stored } from '../../../ports/record.ts';
import { nextDue, type Schedule } from '../../../routines/calendar.ts';
import type { AgentRoutineDetailDto, AgentRoutineRunDto, AgentRoutineTriggerDto } from './dto.ts';

/** A brief as it stood. */
export interface BriefVersion {
  version: number;
  brief: string;
  threshold: string | null;
  madeAt: Date;
}

export interface RoutineDoc extends Stored<AgentRoutineDetailDto> {
  scheduleKindId: RoutineScheduleKind;
  briefs: BriefVersion[];
  createdByUserId: number | null;
  createdByIdentityId: number | null;
  /** Intervals are counted from here. */
  anchorAt: Date;
  /** Every moment up to here is in the ledger. */
  coveredTo: Date;
  /** Grows with each change of when it is due; who covers moments by an older one changes nothing of it. */
  scheduleVersion: number;
  /** The number of the newest row that its `last…` fields tell of. */
  lastSeq: number;
  /** Failures count from the row after this one: somebody has enabled it since. */
  failuresAfterSeq: number;
}

export const routineRecord = record<RoutineDoc>('agent_routines', {
  noun: 'routine',
  list: 'GET /api/agent/routines',
  order: 'name',
  staysSmall: true,
  inProject: true,
  search: ['name', 'description'],
  indexes: [
    { keys: { tenantId: 1, name: 1 } },
    { keys: { tenantId: 1, projectId: 1, nextDueAt: 1 } },
    { keys: { isEnabled: 1, nextDueAt: 1 } },
    { keys: { isEnabled: 1, coveredTo: 1 } },
  ],
});

export interface LedgerDoc extends Stored<AgentRoutineRunDto> {
  /** What it is a row of: unique in its routine. */
  slot: string;
  /** Rows of a routine are written one after the other: each takes the next number, which is unique. */
  seq: number;
  /** The day of its start, as clocks in the routine's zone show it; null for what never started. */
  startDay: string | null;
  /** Routines whose runs led to this wake, oldest first. */
  lineage: number[];
  /** Of what its run delivered: the same again is no change. */
  digest: string | null;
  /** Its end has not been passed on: to its routine, to people. */
  duty?: true;
}

/** Outcomes of moments whose run has not ended. */
export const openOutcomes = ['Pending', 'Running'] as const;

export const ledgerRecord = record<LedgerDoc>('agent_routine_runs', {
  noun: 'routine run',
  list: 'GET /api/agent/routines/{id}/runs',
  order: '-dueAtUtc',
  inProject: true,
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { routineId: 1, slot: 1 }, unique: true },
    { keys: { routineId: 1, seq: 1 }, unique: true },
    { keys: { routineId: 1, startDay: 1 } },
    { keys: { routineId: 1, outcomeId: 1, dueAt: -1 } },
    { keys: { tenantId: 1, routineId: 1, dueAt: -1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { outcomeId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, outcomeId: 1, createdAt: 1 } },
    { keys: { duty: 1 }, sparse: true },
    { keys: { agentRunId: 1 } },
    { keys: { createdAt: 1 } },
  ],
});

export interface TriggerDoc extends Stored<AgentRoutineTriggerDto> {
  projectId: number | null;
  lastWakeAt: Date | null;
  /** What it woke its routine for then: the same again is no further wake. */
  lastWakeSlot?: string;
}

export const triggerRecord = record<TriggerDoc>('agent_routine_triggers', {
  noun: 'trigger',
  list: 'GET /api/agent/routines/{id}/triggers',
  order: 'createdAtUtc',
  staysSmall: true,
  inProject: true,
  lacks: ['guid', 'updatedAt'],
  indexes: [{ keys: { tenantId: 1, routineId: 1 } }, { keys: { tenantId: 1, projectId: 1 } }],
});

/** The mark of a routine's runs. */
export const routineTag = (routineId: number): string => `routine:${routineId}`;

/** A routine's schedule as the calendar reads it. */
export const scheduleOf = (routine: Draft<RoutineDoc>): Schedule => ({
  kind: routine.scheduleKindId,
  cronExpression: routine.cronExpression,
  intervalMinutes: routine.intervalMinutes,
  runOnceAt: routine.runOnceAt?.getTime() ?? null,
  timezoneId: routine.timezoneId,
  anchorAt: routine.anchorAt.getTime(),
  expiresAt: routine.watchExpiry?.getTime() ?? null,
});

/** When a routine is due next after a time in ms; null when it is not. */
export const nextDueOf = (routine: Draft<RoutineDoc>, from: number): Date | null => {
  const next = nextDue(scheduleOf(routine), from);
  return next === null ? null : new Date(next);
};
