// Chat: sessions, messages and the frames of a streamed reply. Interim: until the contracts declare these operations.
import type {
  ChatAttachmentKind,
  ChatStreamEventType,
  ToolCallStatus,
  ToolRisk,
  ToolSource,
} from '../../../client/index.ts';

export interface ChatSessionDto {
  id: number;
  guid: string;
  title: string;
  clientId: string;
  modelId: string;
  messageCount: number;
  totalTokens: number;
  isPinned: boolean;
  archived: boolean;
  userId: number;
  identityId: number | null;
  projectId: number | null;
  reasoningEffort: string | null;
  systemPrompt: string | null;
  enabledTools: string[] | null;
  createdAtUtc: string;
  updatedAtUtc: string;
}

export interface ChatSessionDetailDto extends ChatSessionDto {
  messages: ChatMessageDto[];
}

export interface ChatToolCallDto {
  id: string;
  name: string;
  argumentsJson: string;
  resultJson: string | null;
  status: ToolCallStatus;
  durationMs: number | null;
}

export interface ChatMessageDto {
  id: number;
  role: string;
  content: string;
  reasoningContent: string | null;
  reasoningEffort: string | null;
  reasoningSource: string | null;
  modelId: string | null;
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  responseTimeMs: number;
  toolCalls: ChatToolCallDto[] | null;
  toolCallId: string | null;
  toolName: string | null;
  feedback: string | null;
  feedbackScore: number;
  feedbackTags: string[] | null;
  feedbackComment: string | null;
  feedbackCorrection: string | null;
  trainingPairId: number | null;
  createdAtUtc: string;
}

export interface SessionChatResponse {
  reply: string;
  reasoningContent: string | null;
  model: string;
  promptTokens: number;
  completionTokens: number;
  responseTimeMs: number;
  messageCount: number;
  totalTokens: number;
}

export interface ChatStreamEventDto {
  type: ChatStreamEventType;
  sessionId: number;
  messageId: number | null;
  index: number;
  delta: string | null;
  toolCall: ChatToolCallDto | null;
  message: ChatMessageDto | null;
  usage: SessionChatResponse | null;
  error: string | null;
  errorCode: string | null;
}

export interface MessageRatingResult {
  messageId: number;
  feedback: string | null;
  trainingPairId: number | null;
  mirrorNote: string | null;
}

export interface AvailableToolDto {
  name: string;
  displayName: string;
  description: string;
  category: string;
  source: ToolSource;
  risk: ToolRisk;
  enabled: boolean;
  allowedByPolicy: boolean;
  blockedReason: string | null;
}

export interface ChatAttachmentInput {
  kind: ChatAttachmentKind;
  name?: string | null;
  mimeType?: string | null;
  text?: string | null;
  base64?: string | null;
  url?: string | null;
  memoryId?: number | null;
  docId?: number | null;
}
