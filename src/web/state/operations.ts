// The operations of groups that the contracts do not declare yet, by page.
import type {
  AgentCouncilDto,
  AgentEscalationDto,
  AgentFeedbackDto,
  AgentRunDto,
  AgentTaskDto,
} from '../../client/index.ts';
import { operation } from './operation.ts';
import type {
  AvailableToolDto,
  ChatMessageDto,
  ChatSessionDetailDto,
  ChatSessionDto,
  MessageRatingResult,
} from './wire/chat.ts';
import type {
  AICallDto,
  AIModelDto,
  AIProviderDto,
  AIProviderHealthDto,
  AIProviderKeyDto,
  AIProviderTestDto,
  AIRouteDecisionDto,
  AIRouteDto,
  AIUsageSummaryDto,
  AIUsageTimeseriesDto,
} from './wire/models.ts';
import type { Page } from './wire/page.ts';
import type {
  AgentAnalytics,
  AgentAnalyticsMatrixRow,
  AgentAnalyticsTimeseries,
  AgentRoleDefinitionDto,
  AgentRunFileContent,
  AgentRunFileInfo,
  AgentToolProfileDto,
  DeliverableCheckDto,
  MessageDto,
  RunDiffDto,
} from './wire/runs.ts';
import type { InfraNodeDto, QueueDto, StoreHealthDto, SystemLogDto } from './wire/system.ts';

export const escalations = {
  list: operation<Page<AgentEscalationDto>>('GET /api/agent/escalations'),
  resolve: operation<AgentEscalationDto>('POST /api/agent/escalations/{id}/resolve'),
  raise: operation<AgentEscalationDto>('POST /api/agent/runs/{runId}/escalate'),
};

export const councils = {
  ofRun: operation<Page<AgentCouncilDto>>('GET /api/agent/runs/{runId}/councils'),
  get: operation<AgentCouncilDto>('GET /api/agent/councils/{id}'),
};

export const runParts = {
  files: operation<AgentRunFileInfo[]>('GET /api/agent/runs/{runId}/files'),
  file: operation<AgentRunFileContent>('GET /api/agent/runs/{runId}/files/content'),
  download: operation<unknown>('GET /api/agent/runs/{runId}/files/download'),
  diff: operation<RunDiffDto>('GET /api/agent/runs/{runId}/review/diff'),
  deliverable: operation<DeliverableCheckDto>('GET /api/agent/runs/{runId}/review/deliverable'),
  terminal: operation<unknown>('GET /api/agent/runs/{runId}/sandbox/stream'),
  tasks: operation<Page<AgentTaskDto>>('GET /api/agent/runs/{runId}/tasks'),
  addTask: operation<AgentTaskDto>('POST /api/agent/runs/{runId}/tasks'),
  patchTask: operation<AgentTaskDto>('PATCH /api/agent/tasks/{id}'),
  messages: operation<Page<MessageDto>>('GET /api/agent/runs/{runId}/messages'),
  send: operation<MessageDto>('POST /api/agent/runs/{runId}/messages'),
  feedback: operation<Page<AgentFeedbackDto>>('GET /api/agent/runs/{runId}/feedback'),
  rate: operation<AgentFeedbackDto>('POST /api/agent/runs/{runId}/feedback'),
  pool: operation<AgentRunDto>('POST /api/agent/runs/{id}/pool'),
};

export const roles = {
  list: operation<Page<AgentRoleDefinitionDto>>('GET /api/agent/role-definitions'),
  create: operation<AgentRoleDefinitionDto>('POST /api/agent/role-definitions'),
  patch: operation<AgentRoleDefinitionDto>('PATCH /api/agent/role-definitions/{id}'),
  remove: operation<null>('DELETE /api/agent/role-definitions/{id}'),
  profiles: operation<Page<AgentToolProfileDto>>('GET /api/agent/tool-profiles'),
  createProfile: operation<AgentToolProfileDto>('POST /api/agent/tool-profiles'),
  replaceProfile: operation<AgentToolProfileDto>('PUT /api/agent/tool-profiles/{id}'),
};

export const analytics = {
  summary: operation<AgentAnalytics>('GET /api/agent/analytics'),
  matrix: operation<AgentAnalyticsMatrixRow[]>('GET /api/agent/analytics/matrix'),
  series: operation<AgentAnalyticsTimeseries>('GET /api/agent/analytics/timeseries'),
};

export const chat = {
  list: operation<Page<ChatSessionDto>>('GET /api/chat/sessions'),
  create: operation<ChatSessionDto>('POST /api/chat/sessions'),
  get: operation<ChatSessionDetailDto>('GET /api/chat/sessions/{id}'),
  patch: operation<ChatSessionDto>('PATCH /api/chat/sessions/{id}'),
  remove: operation<null>('DELETE /api/chat/sessions/{id}'),
  tools: operation<AvailableToolDto[]>('GET /api/chat/sessions/{sessionId}/available-tools'),
  say: operation<unknown>('POST /api/chat/sessions/{sessionId}/chat/stream'),
  resume: operation<unknown>('GET /api/chat/sessions/{sessionId}/stream'),
  stop: operation<ChatMessageDto>('POST /api/chat/sessions/{sessionId}/stop'),
  rate: operation<MessageRatingResult>('PATCH /api/chat/messages/{messageId}/feedback'),
};

export const models = {
  providers: operation<Page<AIProviderDto>>('GET /api/ai-router/providers'),
  addProvider: operation<AIProviderDto>('POST /api/ai-router/providers'),
  patchProvider: operation<AIProviderDto>('PATCH /api/ai-router/providers/{id}'),
  removeProvider: operation<null>('DELETE /api/ai-router/providers/{id}'),
  test: operation<AIProviderTestDto>('POST /api/ai-router/providers/{id}/test'),
  keys: operation<AIProviderKeyDto[]>('GET /api/ai-router/providers/{providerId}/keys'),
  addKey: operation<AIProviderKeyDto>('POST /api/ai-router/providers/{providerId}/keys'),
  removeKey: operation<null>('DELETE /api/ai-router/keys/{id}'),
  list: operation<Page<AIModelDto>>('GET /api/ai-router/models'),
  routes: operation<Page<AIRouteDto>>('GET /api/ai-router/routes'),
  explain: operation<AIRouteDecisionDto>('POST /api/ai-router/routes/{id}/explain'),
  health: operation<AIProviderHealthDto[]>('GET /api/ai-router/health'),
  usage: operation<AIUsageSummaryDto>('GET /api/ai-router/usage'),
  usageSeries: operation<AIUsageTimeseriesDto>('GET /api/ai-router/usage/timeseries'),
  calls: operation<Page<AICallDto>>('GET /api/ai-router/usage/calls'),
};

export const infrastructure = {
  nodes: operation<InfraNodeDto[]>('GET /api/infrastructure/nodes'),
  stores: operation<StoreHealthDto[]>('GET /api/infrastructure/stores'),
  queues: operation<QueueDto[]>('GET /api/infrastructure/queues'),
  logs: operation<Page<SystemLogDto>>('GET /api/system-logs'),
};

export const demo = {
  run: operation<AgentRunDto>('POST /api/demo/run'),
};
