// Maintenance jobs as they are answered.
import { z } from 'zod';
import { JobState, MaintenanceTask } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

export const MaintenanceRunDto = dto('MaintenanceRunDto', {
  id: int64,
  guid: uuid,
  task: MaintenanceTask,
  state: JobState,
  dryRun: boolean,
  progressPercent: int32,
  processed: int64,
  total: int64.nullable(),
  resultJson: string.nullable(),
  errorMessage: string.nullable(),
  requestedByName: string.nullable(),
  startedAtUtc: dateTime.nullable(),
  completedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type MaintenanceRunDto = z.output<typeof MaintenanceRunDto>;

export const MaintenanceScheduleDto = dto('MaintenanceScheduleDto', {
  task: MaintenanceTask,
  /** In UTC. */
  cronExpression: string,
  enabled: boolean,
  lastRunAtUtc: dateTime.nullable(),
  lastState: JobState.nullable(),
  nextDueAtUtc: dateTime.nullable(),
});
export type MaintenanceScheduleDto = z.output<typeof MaintenanceScheduleDto>;

export const MaintenanceStatusDto = dto('MaintenanceStatusDto', {
  maintenanceMode: boolean,
  message: string.nullable(),
  sinceUtc: dateTime.nullable(),
  /** The newest first. */
  runs: z.array(MaintenanceRunDto),
  schedules: z.array(MaintenanceScheduleDto),
});
export type MaintenanceStatusDto = z.output<typeof MaintenanceStatusDto>;
