// What belongs to a run beyond its events: files, diff, deliverable, messages; roles, tool profiles and analytics. Interim: until the contracts declare these operations.
import type { FileChangeType, MessagePriority, MessageType } from '../../../client/index.ts';

export interface AgentRunFileInfo {
  path: string;
  name: string;
  isDirectory: boolean;
  sizeBytes: number;
  mimeType: string | null;
  isBinary: boolean;
  etag: string | null;
  modifiedAtUtc: string;
}

export interface AgentRunFileContent {
  path: string;
  sizeBytes: number;
  isBinary: boolean;
  truncated: boolean;
  text: string | null;
  modifiedAtUtc: string;
}

export interface RunDiffDto {
  runId: number;
  baseSha: string | null;
  headSha: string | null;
  branch: string | null;
  filesChanged: number;
  additions: number;
  deletions: number;
  truncated: boolean;
  patch: string | null;
  files: RunDiffFileDto[];
}

export interface RunDiffFileDto {
  path: string;
  previousPath: string | null;
  changeType: FileChangeType;
  additions: number;
  deletions: number;
  isBinary: boolean;
}

export interface DeliverableCheckDto {
  hasContract: boolean;
  deliverable: string | null;
  destination: string | null;
  kind: string;
  met: boolean;
  detail: string | null;
}

export interface MessageDto {
  id: number;
  guid: string;
  senderId: number;
  senderName: string;
  content: string;
  type: MessageType;
  priority: MessagePriority;
  threadId: number | null;
  recipients: RecipientDto[];
  replyCount: number;
  createdAtUtc: string;
}

export interface RecipientDto {
  identityId: number;
  identityName: string;
  deliveredAtUtc: string | null;
  readAtUtc: string | null;
  archivedAtUtc: string | null;
  rejectedReason: string | null;
}

export interface AgentRoleDefinitionDto {
  id: number;
  guid: string;
  name: string;
  displayName: string;
  description: string | null;
  icon: string | null;
  systemPromptTemplate: string;
  defaultMaxIterations: number;
  defaultMaxTokens: number;
  defaultMaxWallClockMs: number;
  defaultPoolIterationBudget: number;
  defaultPoolTokenBudget: number;
  hardIterationCap: number;
  contextBudgetTokens: number;
  routeSummary: string | null;
  temperature: number;
  fallbackModelId: string | null;
  isSystem: boolean;
  enabled: boolean;
  sortOrder: number;
  createdAtUtc: string;
}

export interface AgentToolProfileDto {
  id: number;
  role: string;
  roleDefinitionId: number | null;
  name: string;
  description: string | null;
  safeTools: string[];
  optInTools: string[];
  blockedTools: string[];
  sandboxedTools: string[];
  discoveryEnabled: boolean;
}

export interface AgentAnalytics {
  modelId: string | null;
  role: string | null;
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  successRate: number;
  avgIterations: number;
  avgTokensUsed: number;
  totalCostUsd: number;
  avgDurationMs: number;
  avgFeedbackScore: number;
}

export interface AgentAnalyticsMatrixRow {
  modelId: string | null;
  role: string | null;
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  successRate: number;
  avgIterations: number;
  avgTokensUsed: number;
  totalCostUsd: number;
  avgCostUsd: number;
  avgDurationMs: number;
  avgFeedbackScore: number | null;
}

export interface AgentAnalyticsSeriesPoint {
  bucketStartUtc: string;
  series: string | null;
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  successRate: number;
  tokensUsed: number;
  costUsd: number;
  avgDurationMs: number;
  avgFeedbackScore: number | null;
}

export interface AgentAnalyticsTimeseries {
  points: AgentAnalyticsSeriesPoint[];
}
