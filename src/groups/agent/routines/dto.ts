// Routines, their ledger and their triggers as they are answered and published.
import { z } from 'zod';
import {
  AgentRunStatus,
  RoutineMissedRunPolicy,
  RoutineReportPolicy,
  RoutineRunOutcome,
  RoutineRunTriggerSource,
  RoutineScheduleKind,
} from '../../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../../contract/types.ts';

const routine = {
  id: int64,
  guid: uuid,
  name: string,
  description: string.nullable(),
  identityId: int64,
  identityName: string.nullable(),
  roleDefinitionId: int64.nullable(),
  roleName: string.nullable(),
  toolProfileName: string.nullable(),
  projectId: int64.nullable(),
  taskId: int64.nullable(),
  /** Grows with each change of the brief or the threshold. */
  briefVersion: int32,
  scheduleKindId: RoutineScheduleKind.nullable(),
  cronExpression: string.nullable(),
  intervalMinutes: int32.nullable(),
  runOnceAtUtc: dateTime.nullable(),
  timezoneId: string,
  quietHoursJson: string.nullable(),
  nextDueAtUtc: dateTime.nullable(),
  lastRunAtUtc: dateTime.nullable(),
  lastOutcomeId: RoutineRunOutcome.nullable(),
  lastRunStatusId: AgentRunStatus.nullable(),
  /** 0 is no limit. */
  maxRunsPerDay: int32,
  maxConcurrentRuns: int32,
  missedRunPolicyId: RoutineMissedRunPolicy,
  pauseOnRepeatedAuthFailure: boolean,
  poolTokenBudgetOverride: int32.nullable(),
  isEnabled: boolean,
  watchExpiryUtc: dateTime.nullable(),
  reportPolicyId: RoutineReportPolicy,
  pausedAtUtc: dateTime.nullable(),
  pausedReason: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const AgentRoutineDto = dto('AgentRoutineDto', routine);
export type AgentRoutineDto = z.output<typeof AgentRoutineDto>;

export const AgentRoutineDetailDto = dto('AgentRoutineDetailDto', {
  ...routine,
  briefMarkdown: string,
  thresholdMarkdown: string.nullable(),
});
export type AgentRoutineDetailDto = z.output<typeof AgentRoutineDetailDto>;

export const AgentRoutineRunDto = dto('AgentRoutineRunDto', {
  id: int64,
  routineId: int64,
  /** Ours: who may not read there does not hear of it. */
  projectId: int64.nullable(),
  agentRunId: int64.nullable(),
  triggerSourceId: RoutineRunTriggerSource,
  outcomeId: RoutineRunOutcome,
  dueAtUtc: dateTime,
  triggerDetailJson: string.nullable(),
  createdAtUtc: dateTime,
  runStatusId: AgentRunStatus.nullable(),
  runSummary: string.nullable(),
  runCompletedAtUtc: dateTime.nullable(),
  /** Ours: why it ended so, where the outcome alone does not say. */
  reason: string.nullable(),
  /** Ours: the version of the brief that its run was given. */
  briefVersion: int32,
});
export type AgentRoutineRunDto = z.output<typeof AgentRoutineRunDto>;

export const AgentRoutineTriggerDto = dto('AgentRoutineTriggerDto', {
  id: int64,
  routineId: int64,
  eventPattern: string,
  filterJson: string.nullable(),
  minSecondsBetweenWakes: int32,
  createdAtUtc: dateTime,
});
export type AgentRoutineTriggerDto = z.output<typeof AgentRoutineTriggerDto>;

export const EnableRoutineResult = dto('EnableRoutineResult', {
  routine: AgentRoutineDto,
  warning: string.nullable(),
});

export const CronPreviewDto = dto('CronPreviewDto', {
  valid: boolean,
  error: string.nullable(),
  warning: string.nullable(),
  timezoneId: string,
  nextUtc: z.array(dateTime),
});

export const RoutineNextDueDto = dto('RoutineNextDueDto', {
  routineId: int64,
  isEnabled: boolean,
  nextDueAtUtc: dateTime.nullable(),
  upcomingUtc: z.array(dateTime),
  blockedReason: string.nullable(),
  runsToday: int32,
  timezoneId: string,
});

/** Ours: what a stretch of time would bring. */
export const RoutineSimulationDto = dto('RoutineSimulationDto', {
  routineId: int64,
  timezoneId: string,
  fromUtc: dateTime,
  toUtc: dateTime,
  dueCount: int32,
  runCount: int32,
  /** There were too many moments to go on: counts are those before `playedToUtc`. */
  isCut: boolean,
  /** `toUtc`, or the first moment that was left out. */
  playedToUtc: dateTime,
  /** Days as clocks in the zone show them; days without a moment are left out. */
  days: z.array(
    dto('RoutineSimulationDayDto', {
      date: string,
      due: int32,
      runs: int32,
      skippedQuietHours: int32,
      skippedThrottled: int32,
      skippedOverlap: int32,
    }),
  ),
  /** Changes of the clocks: minutes that they are set forward by. */
  shifts: z.array(dto('RoutineSimulationShiftDto', { atUtc: dateTime, minutes: int32 })),
  /** The first moments. */
  slots: z.array(
    dto('RoutineSimulationSlotDto', { dueAtUtc: dateTime, outcomeId: RoutineRunOutcome, reason: string.nullable() }),
  ),
});
export type RoutineSimulationDto = z.output<typeof RoutineSimulationDto>;

/** Ours: a brief as it stood. */
export const RoutineBriefDto = dto('RoutineBriefDto', {
  version: int32,
  briefMarkdown: string,
  thresholdMarkdown: string.nullable(),
  createdAtUtc: dateTime,
});
