// What the Agent group answers: runs and everything that belongs to a run.
import { z } from 'zod';
import {
  AgentEventType,
  AgentRunNoteType,
  AgentRunStatus,
  CouncilStatementKind,
  CouncilStatus,
  EscalationNotificationState,
  EscalationStatus,
  EscalationUrgency,
  FeedbackRating,
  ResolutionMode,
  RunDeltaKind,
  SystemLogLevel,
  TaskStatus,
  ToolRisk,
  ToolSource,
} from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

/** Ours: the limit that keeps a run from its next call. `missing` is what it must be raised by; 0 when it may resume. */
const RunShortage = dto('RunShortageDto', {
  limit: z.enum(['maxIterations', 'maxTokens', 'poolIterationBudget', 'poolTokenBudget', 'poolCostBudgetUsd']),
  max: double,
  used: double,
  needed: double,
  missing: double,
  message: string,
});

export const AgentRunDto = dto('AgentRunDto', {
  id: int64,
  guid: uuid,
  projectId: int64.nullable(),
  taskId: int64.nullable(),
  taskTitle: string.nullable(),
  identityId: int64,
  identityName: string.nullable(),
  role: string,
  toolProfileName: string.nullable(),
  roleDefinitionId: int64.nullable(),
  modelId: string.nullable(),
  reasoningEffort: string.nullable(),
  parentRunId: int64.nullable(),
  sandboxContainerId: string.nullable(),
  reviewBranch: string.nullable(),
  reviewBaseSha: string.nullable(),
  reviewWorktreePath: string.nullable(),
  spawnDepth: int32,
  goal: string,
  status: AgentRunStatus,
  failureReason: string.nullable(),
  startedAtUtc: dateTime.nullable(),
  completedAtUtc: dateTime.nullable(),
  progressSummary: string.nullable(),
  staleStepCount: int32,
  maxIterations: int32,
  maxTokens: int32,
  maxWallClockMs: int32,
  iterationsUsed: int32,
  tokensUsed: int32,
  contextBudgetTokens: int32,
  contextUsedTokens: int32,
  poolIterationBudget: int32,
  poolIterationsUsed: int32,
  poolTokenBudget: int32,
  poolTokensUsed: int64,
  treeDeadlineUtc: dateTime.nullable(),
  promptTokens: int32,
  completionTokens: int32,
  costUsd: double,
  totalTokensWithChildren: int64,
  totalCostWithChildren: double,
  outputPath: string.nullable(),
  contractDeliverable: string.nullable(),
  contractDestination: string.nullable(),
  interactionThreadId: int64.nullable(),
  childRunCount: int32,
  eventCount: int32,
  createdAtUtc: dateTime,
  // Ours, beside what the interface lists: what the tree may cost, how long the run has been active, and the limit
  // that keeps it from going on, and when it was brought over from another server.
  poolCostBudgetUsd: double.nullable(),
  poolCostUsedUsd: double,
  activeMs: int64,
  activeSinceUtc: dateTime.nullable(),
  exhaustedBy: RunShortage.nullable(),
  importedAtUtc: dateTime.nullable(),
});
export type AgentRunDto = z.output<typeof AgentRunDto>;

export const AgentEventDto = dto('AgentEventDto', {
  id: int64,
  guid: uuid,
  runId: int64,
  rootRunId: int64,
  parentRunId: int64.nullable(),
  seq: int64,
  type: AgentEventType,
  level: SystemLogLevel,
  iteration: int32.nullable(),
  title: string,
  message: string.nullable(),
  toolName: string.nullable(),
  toolCallId: string.nullable(),
  modelId: string.nullable(),
  promptTokens: int32.nullable(),
  completionTokens: int32.nullable(),
  costUsd: double.nullable(),
  durationMs: int64.nullable(),
  payloadJson: string.nullable(),
  createdAtUtc: dateTime,
});
export type AgentEventDto = z.output<typeof AgentEventDto>;

export const AgentEscalationDto = dto('AgentEscalationDto', {
  id: int64,
  guid: uuid,
  runId: int64.nullable(),
  /** Ours: the project of the run. */
  projectId: int64.nullable(),
  taskId: int64.nullable(),
  situation: string,
  optionsJson: string.nullable(),
  /**
   * Ours: what an MCP server asks, as JSON to draw a form of: `server`, `tool`, `message`, `problem` of the answer
   * before, and `fields` by name with `required`, or the `url` to open. The answer is a JSON object, or `done`.
   */
  formJson: string.nullable(),
  supervisorRecommendation: string.nullable(),
  confidence: double,
  kind: string.nullable(),
  urgencyId: EscalationUrgency.nullable(),
  status: EscalationStatus,
  resolutionMode: ResolutionMode.nullable(),
  decision: string.nullable(),
  decidedBy: string.nullable(),
  decisionNotes: string.nullable(),
  chatSessionId: int64.nullable(),
  approvalThreadId: int64.nullable(),
  revisionRoundsUsed: int32,
  maxRevisionRounds: int32,
  timeoutAtUtc: dateTime.nullable(),
  resolvedAtUtc: dateTime.nullable(),
  notificationState: EscalationNotificationState,
  notificationDetail: string.nullable(),
  createdAtUtc: dateTime,
});
export type AgentEscalationDto = z.output<typeof AgentEscalationDto>;

export const AgentFeedbackDto = dto('AgentFeedbackDto', {
  id: int64,
  runId: int64,
  rating: FeedbackRating,
  notes: string.nullable(),
  ratedBy: string.nullable(),
  createdAtUtc: dateTime,
});
export type AgentFeedbackDto = z.output<typeof AgentFeedbackDto>;

export const AgentRunNoteDto = dto('AgentRunNoteDto', {
  id: int64,
  guid: uuid,
  agentRunId: int64,
  taskId: int64.nullable(),
  type: AgentRunNoteType,
  content: string,
  createdAtUtc: dateTime,
});
export type AgentRunNoteDto = z.output<typeof AgentRunNoteDto>;

export const AgentRunDetailDto = dto('AgentRunDetailDto', {
  ...AgentRunDto.shape,
  planJson: string.nullable(),
  checkpointJson: string.nullable(),
  lastCheckpointAtUtc: dateTime.nullable(),
  environmentJson: string.nullable(),
  requestToolDebrief: boolean,
  pauseChatSessionId: int64.nullable(),
  interactionMessages: z.array(z.unknown()).nullable(),
  childRuns: z.array(AgentRunDto),
  recentEvents: z.array(AgentEventDto),
  escalations: z.array(AgentEscalationDto),
  feedback: z.array(AgentFeedbackDto),
  notes: z.array(AgentRunNoteDto),
});
export type AgentRunDetailDto = z.output<typeof AgentRunDetailDto>;

export const RunActionResultDto = dto('RunActionResultDto', {
  runId: int64,
  previousStatus: AgentRunStatus,
  status: AgentRunStatus,
  affectedRunIds: z.array(int64),
  checkpointId: string.nullable(),
  acceptedAtUtc: dateTime,
});
export type RunActionResultDto = z.output<typeof RunActionResultDto>;

export const AgentCheckpointDto = dto('AgentCheckpointDto', {
  id: string,
  runId: int64,
  iteration: int32,
  status: AgentRunStatus,
  tokensUsed: int32,
  costUsd: double,
  summary: string.nullable(),
  commitSha: string.nullable(),
  sizeBytes: int32,
  createdAtUtc: dateTime,
});
export type AgentCheckpointDto = z.output<typeof AgentCheckpointDto>;

/** Ours: a message of a run's state, as its model reads it. */
const RunStateMessageDto = dto('RunStateMessageDto', {
  index: int64,
  turn: int32,
  role: z.enum(['user', 'assistant', 'tool']),
  /** Without images and files, which an edit of the text keeps. */
  text: string,
  toolCalls: z.array(dto('RunStateCallDto', { id: string, name: string, argumentsJson: string })),
  toolCallId: string.nullable(),
  toolName: string.nullable(),
  isError: boolean,
});
export type RunStateMessageDto = z.output<typeof RunStateMessageDto>;

/** Ours: what a fork from a checkpoint, or from after a turn, begins with. */
export const RunStateDto = dto('RunStateDto', {
  runId: int64,
  checkpointId: string.nullable(),
  turn: int32,
  goal: string,
  role: string,
  modelId: string.nullable(),
  summary: string.nullable(),
  messages: z.array(RunStateMessageDto),
});
export type RunStateDto = z.output<typeof RunStateDto>;

/** Ours: where calls of a run, or of every run of its tree, wait for a person. */
export const RunBreakpointDto = dto('RunBreakpointDto', {
  id: string,
  /** The run on which it was set. */
  runId: int64,
  before: z.enum(['Tool', 'Role']),
  name: string,
  forTree: boolean,
  setBy: string.nullable(),
  createdAtUtc: dateTime,
});
export type RunBreakpointDto = z.output<typeof RunBreakpointDto>;

export const AgentToolInfo = dto('AgentToolInfo', {
  name: string,
  displayName: string,
  description: string,
  category: string,
  source: ToolSource,
  risk: ToolRisk,
  inputSchemaJson: string,
  connectorId: int64.nullable(),
  requiresApproval: boolean,
  sandboxed: boolean,
  enabled: boolean,
});
export type AgentToolInfo = z.output<typeof AgentToolInfo>;

export const RunDeltaDto = dto('RunDeltaDto', {
  runId: int64,
  rootRunId: int64,
  iteration: int32,
  index: int32,
  kind: RunDeltaKind,
  delta: string,
  toolCallId: string.nullable(),
  modelId: string.nullable(),
});
export type RunDeltaDto = z.output<typeof RunDeltaDto>;

export const RunBudgetDto = dto('RunBudgetDto', {
  runId: int64,
  status: AgentRunStatus,
  iterationsUsed: int32,
  maxIterations: int32,
  tokensUsed: int32,
  maxTokens: int32,
  contextUsedTokens: int32,
  contextBudgetTokens: int32,
  poolIterationsUsed: int32,
  poolIterationBudget: int32,
  poolTokensUsed: int64,
  poolTokenBudget: int32,
  costUsd: double,
  totalCostWithChildren: double,
  elapsedMs: int64,
  maxWallClockMs: int32,
  treeDeadlineUtc: dateTime.nullable(),
});
export type RunBudgetDto = z.output<typeof RunBudgetDto>;

export const RunTreeQuiescedDto = dto('RunTreeQuiescedDto', {
  rootRunId: int64,
  runCount: int32,
  totalTokens: int64,
  totalCostUsd: double,
  atUtc: dateTime,
});
export type RunTreeQuiescedDto = z.output<typeof RunTreeQuiescedDto>;

export const AgentTaskDto = dto('AgentTaskDto', {
  id: int64,
  guid: uuid,
  agentRunId: int64,
  projectId: int64.nullable(),
  projectTaskId: int64.nullable(),
  projectTaskTitle: string.nullable(),
  title: string,
  description: string.nullable(),
  status: TaskStatus,
  sortOrder: int32,
  createdAtUtc: dateTime,
});
export type AgentTaskDto = z.output<typeof AgentTaskDto>;

export const AgentCouncilDto = dto('AgentCouncilDto', {
  id: int64,
  guid: uuid,
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  question: string,
  rounds: int32,
  consensusJson: string.nullable(),
  participantsJson: string.nullable(),
  status: CouncilStatus,
  completedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type AgentCouncilDto = z.output<typeof AgentCouncilDto>;

export const CouncilStatementDto = dto('CouncilStatementDto', {
  councilId: int64,
  /** Null where a chat has convened it. */
  runId: int64.nullable(),
  round: int32,
  kind: CouncilStatementKind,
  participantName: string,
  identityId: int64.nullable(),
  modelId: string.nullable(),
  content: string,
  vote: string.nullable(),
  atUtc: dateTime,
});
export type CouncilStatementDto = z.output<typeof CouncilStatementDto>;

export const AgentRoleDefinitionDto = dto('AgentRoleDefinitionDto', {
  id: int64,
  guid: uuid,
  name: string,
  displayName: string,
  description: string.nullable(),
  icon: string.nullable(),
  systemPromptTemplate: string,
  defaultMaxIterations: int32,
  defaultMaxTokens: int32,
  defaultMaxWallClockMs: int32,
  defaultPoolIterationBudget: int32,
  defaultPoolTokenBudget: int32,
  hardIterationCap: int32,
  contextBudgetTokens: int32,
  routeSummary: string.nullable(),
  temperature: float,
  fallbackModelId: string.nullable(),
  isSystem: boolean,
  enabled: boolean,
  sortOrder: int32,
  createdAtUtc: dateTime,
});
export type AgentRoleDefinitionDto = z.output<typeof AgentRoleDefinitionDto>;

export const AgentToolProfileDto = dto('AgentToolProfileDto', {
  id: int64,
  role: string,
  roleDefinitionId: int64.nullable(),
  name: string,
  description: string.nullable(),
  safeTools: z.array(string),
  optInTools: z.array(string),
  blockedTools: z.array(string),
  sandboxedTools: z.array(string),
  discoveryEnabled: boolean,
});
export type AgentToolProfileDto = z.output<typeof AgentToolProfileDto>;
