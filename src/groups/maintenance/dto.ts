// Maintenance jobs as they are answered.
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
