// Log lines and what is counted of them, as they are answered and published.
import { z } from 'zod';
import { LogDomain, SystemLogLevel, TimeBucket } from '../../contract/enums.ts';
import { dateTime, dto, int64, string } from '../../contract/types.ts';

export const SystemLogDto = dto('SystemLogDto', {
  /** Grows in the order in which lines are kept, over all nodes: a place in the log. */
  id: int64,
  domain: LogDomain,
  level: SystemLogLevel,
  message: string,
  errorCode: string.nullable(),
  /** The error with its stack and its causes; of other tenants than the first, the operator alone has it. */
  exception: string.nullable(),
  /** What the line says besides, as a JSON object. */
  propertiesJson: string.nullable(),
  sourceHost: string.nullable(),
  nodeId: string.nullable(),
  requestId: string.nullable(),
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  identityId: int64.nullable(),
  identityName: string.nullable(),
  userId: int64.nullable(),
  createdAtUtc: dateTime,
});
export type SystemLogDto = z.output<typeof SystemLogDto>;

export const SystemLogPoint = dto('SystemLogPoint', {
  bucketStartUtc: dateTime,
  /** Lines by level. */
  counts: z.record(z.string(), int64),
});

export const SystemLogTopError = dto('SystemLogTopError', {
  errorCode: string.nullable(),
  domain: LogDomain,
  message: string,
  count: int64,
  lastAtUtc: dateTime,
  sampleLogId: int64,
});

export const SystemLogStatsDto = dto('SystemLogStatsDto', {
  fromUtc: dateTime,
  toUtc: dateTime,
  bucket: TimeBucket,
  total: int64,
  byLevel: z.record(z.string(), int64),
  byDomain: z.record(z.string(), int64),
  /** Buckets that have lines, the oldest first. */
  points: z.array(SystemLogPoint),
  /** Lines of Error and Critical that say the same, the most frequent first. */
  topErrors: z.array(SystemLogTopError),
});
export type SystemLogStatsDto = z.output<typeof SystemLogStatsDto>;
