// What the server stands on, as it is answered: nodes, stores, queues and jobs.
import { z } from 'zod';
import { HealthState, JobState, StoreKind, StoreMode } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string } from '../../contract/types.ts';

export const StoreCollectionDto = dto('StoreCollectionDto', {
  name: string,
  itemCount: int64,
  sizeBytes: int64.nullable(),
  indexCount: int32.nullable(),
  indexed: boolean,
});
export type StoreCollectionDto = z.output<typeof StoreCollectionDto>;

export const StoreHealthDto = dto('StoreHealthDto', {
  kind: StoreKind,
  name: string,
  mode: StoreMode,
  state: HealthState,
  version: string.nullable(),
  latencyMs: double.nullable(),
  sizeBytes: int64.nullable(),
  usedPercent: double.nullable(),
  itemCount: int64.nullable(),
  connectionCount: int32.nullable(),
  detail: string.nullable(),
  collections: z.array(StoreCollectionDto),
  checkedAtUtc: dateTime,
});
export type StoreHealthDto = z.output<typeof StoreHealthDto>;

/** Payload of `system.queue`. Counts are of the tenant's jobs. */
export const QueueDto = dto('QueueDto', {
  name: string,
  description: string.nullable(),
  paused: boolean,
  concurrency: int32,
  waiting: int32,
  delayed: int32,
  active: int32,
  failed: int32,
  completedLastHour: int32,
  throughputPerMinute: double,
  avgDurationMs: double.nullable(),
  oldestWaitingSeconds: double.nullable(),
  lastError: string.nullable(),
});
export type QueueDto = z.output<typeof QueueDto>;

export const QueueJobDto = dto('QueueJobDto', {
  id: string,
  queue: string,
  name: string,
  state: JobState,
  attempts: int32,
  maxAttempts: int32,
  progressPercent: int32.nullable(),
  payloadJson: string.nullable(),
  error: string.nullable(),
  lockedByNodeId: string.nullable(),
  nextRunAtUtc: dateTime.nullable(),
  startedAtUtc: dateTime.nullable(),
  finishedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type QueueJobDto = z.output<typeof QueueJobDto>;
