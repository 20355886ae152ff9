// The server itself: processes, stores, queues, logs and notifications. Interim: until the contracts declare these operations.
import type {
  HealthState,
  LogDomain,
  NodeRole,
  NotificationKind,
  StoreKind,
  StoreMode,
  SystemLogLevel,
} from '../../../client/index.ts';

export interface InfraNodeDto {
  nodeId: string;
  hostName: string;
  pid: number;
  role: NodeRole;
  version: string;
  state: HealthState;
  cpuPercent: number;
  loadAverage1m: number;
  memoryRssBytes: number;
  memoryHeapBytes: number;
  memoryLimitBytes: number | null;
  eventLoopLagMs: number;
  openSockets: number;
  sseStreams: number;
  activeRuns: number;
  activeJobs: number;
  requestsPerMinute: number;
  startedAtUtc: string;
  lastHeartbeatAtUtc: string;
}

export interface StoreHealthDto {
  kind: StoreKind;
  name: string;
  mode: StoreMode;
  state: HealthState;
  version: string | null;
  latencyMs: number | null;
  sizeBytes: number | null;
  usedPercent: number | null;
  itemCount: number | null;
  connectionCount: number | null;
  detail: string | null;
  collections: StoreCollectionDto[];
  checkedAtUtc: string;
}

export interface StoreCollectionDto {
  name: string;
  itemCount: number;
  sizeBytes: number | null;
  indexCount: number | null;
  indexed: boolean;
}

export interface QueueDto {
  name: string;
  description: string | null;
  paused: boolean;
  concurrency: number;
  waiting: number;
  delayed: number;
  active: number;
  failed: number;
  completedLastHour: number;
  throughputPerMinute: number;
  avgDurationMs: number | null;
  oldestWaitingSeconds: number | null;
  lastError: string | null;
}

export interface SystemLogDto {
  id: number;
  domain: LogDomain;
  level: SystemLogLevel;
  message: string;
  errorCode: string | null;
  exception: string | null;
  propertiesJson: string | null;
  sourceHost: string | null;
  nodeId: string | null;
  requestId: string | null;
  runId: number | null;
  chatSessionId: number | null;
  identityId: number | null;
  identityName: string | null;
  userId: number | null;
  createdAtUtc: string;
}

export interface NotificationDto {
  kind: NotificationKind;
  title: string;
  body: string | null;
  level: SystemLogLevel;
  url: string | null;
  targetId: number | null;
  atUtc: string;
}
