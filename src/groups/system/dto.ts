// What the System group answers: version, liveness, readiness.
import { z } from 'zod';
import { ConfigSource, HealthState, NodeRole, RegistrationMode } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string } from '../../contract/types.ts';

export const SystemInfoDto = dto('SystemInfoDto', {
  name: string,
  version: string,
  commit: string.nullable(),
  apiVersion: string,
  nodeVersion: string,
  setupRequired: boolean,
  registrationMode: RegistrationMode,
  features: z.array(string),
  maintenanceMode: boolean,
  realtimeUrl: string,
  socketIoPath: string,
  serverTimeUtc: dateTime,
  startedAtUtc: dateTime,
  uptimeSeconds: int64,
});
export type SystemInfoDto = z.output<typeof SystemInfoDto>;

export const SystemHealthDto = dto('SystemHealthDto', {
  status: HealthState,
  version: string,
  uptimeSeconds: int64,
  eventLoopLagMs: double,
  memoryRssBytes: int64,
  checkedAtUtc: dateTime,
});
export type SystemHealthDto = z.output<typeof SystemHealthDto>;

/** Payload of `system.node`: one process and how it is. */
export const InfraNodeDto = dto('InfraNodeDto', {
  nodeId: string,
  hostName: string,
  pid: int32,
  role: NodeRole,
  version: string,
  state: HealthState,
  cpuPercent: double,
  loadAverage1m: double,
  memoryRssBytes: int64,
  memoryHeapBytes: int64,
  memoryLimitBytes: int64.nullable(),
  eventLoopLagMs: double,
  openSockets: int32,
  sseStreams: int32,
  activeRuns: int32,
  activeJobs: int32,
  requestsPerMinute: double,
  startedAtUtc: dateTime,
  lastHeartbeatAtUtc: dateTime,
});
export type InfraNodeDto = z.output<typeof InfraNodeDto>;

export const HealthCheckDto = dto('HealthCheckDto', {
  name: string,
  state: HealthState,
  required: boolean,
  latencyMs: double.nullable(),
  detail: string.nullable(),
});
export type HealthCheckDto = z.output<typeof HealthCheckDto>;

export const SystemReadinessDto = dto('SystemReadinessDto', {
  ready: boolean,
  status: HealthState,
  maintenanceMode: boolean,
  checks: z.array(HealthCheckDto),
  checkedAtUtc: dateTime,
});
export type SystemReadinessDto = z.output<typeof SystemReadinessDto>;

export const SystemConfigEntryDto = dto('SystemConfigEntryDto', {
  key: string,
  /** Null where it has none; a secret is masked. */
  value: string.nullable(),
  defaultValue: string.nullable(),
  source: ConfigSource,
  isSecret: boolean,
  isEditable: boolean,
  requiresRestart: boolean,
  description: string.nullable(),
});
export type SystemConfigEntryDto = z.output<typeof SystemConfigEntryDto>;

export const SystemConfigDto = dto('SystemConfigDto', {
  entries: z.array(SystemConfigEntryDto),
  /** An override waits for the next start. */
  restartPending: boolean,
  updatedAtUtc: dateTime.nullable(),
  updatedByName: string.nullable(),
});
export type SystemConfigDto = z.output<typeof SystemConfigDto>;
