// What the ChatSession group answers: sessions, messages, and the events of a reply.
import { z } from 'zod';
import { ChatAttachmentKind, ChatStreamEventType, ToolCallStatus, ToolRisk, ToolSource } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string, uuid } from '../../contract/types.ts';

export const ChatSessionDto = dto('ChatSessionDto', {
  id: int64,
  guid: uuid,
  title: string,
  clientId: string,
  modelId: string,
  messageCount: int32,
  totalTokens: int32,
  isPinned: boolean,
  archived: boolean,
  /** Ours: names of folders from the outermost, joined by `/`; null for a chat in none. */
  folder: string.nullable(),
  /** Ours: in lower case. */
  tags: z.array(string),
  userId: int64.nullable(),
  identityId: int64.nullable(),
  projectId: int64.nullable(),
  reasoningEffort: string.nullable(),
  systemPrompt: string.nullable(),
  enabledTools: z.array(string).nullable(),
  /** Ours: whether replies recall what their identity remembers. */
  hydrate: boolean,
  /** Last message of the branch that is shown. */
  activeMessageId: int64.nullable(),
  /** The reply that is being made; follow it with GET …/stream. */
  generatingMessageId: int64.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type ChatSessionDto = z.output<typeof ChatSessionDto>;

export const ChatToolCallDto = dto('ChatToolCallDto', {
  id: string,
  name: string,
  argumentsJson: string,
  resultJson: string.nullable(),
  status: ToolCallStatus,
  durationMs: int64.nullable(),
  /** The approval or question that it waits for, or had: see POST /api/agent/escalations/{id}/resolve. */
  escalationId: int64.nullable(),
  /** Ours: the kind of what its tool asks a person, `elicitation` or `sampling`; null unless it waits for that. */
  asks: string.nullable(),
});
export type ChatToolCallDto = z.output<typeof ChatToolCallDto>;

/** What came with a message, without its content. */
export const ChatAttachmentDto = dto('ChatAttachmentDto', {
  kind: ChatAttachmentKind,
  name: string.nullable(),
  mimeType: string.nullable(),
  /** Of the content that was sent; null where only an address or an id was. */
  sizeBytes: int64.nullable(),
  url: string.nullable(),
});
export type ChatAttachmentDto = z.output<typeof ChatAttachmentDto>;

export const ChatMessageDto = dto('ChatMessageDto', {
  id: int64,
  /** The message that it follows: messages with the same parent are branches. */
  parentMessageId: int64.nullable(),
  role: string,
  /** `Complete`, `Streaming`, `Stopped`, `Interrupted` or `Failed`. */
  state: z.enum(['Complete', 'Streaming', 'Stopped', 'Interrupted', 'Failed']),
  /** Ours: the reply reached its limit of output, and can be continued. */
  truncated: boolean,
  content: string,
  reasoningContent: string.nullable(),
  reasoningEffort: string.nullable(),
  reasoningSource: string.nullable(),
  modelId: string.nullable(),
  promptTokens: int32,
  completionTokens: int32,
  cacheReadTokens: int32,
  /** Ours: what the reply cost; 0 also where the price of its model is unknown. */
  costUsd: double,
  responseTimeMs: int64,
  toolCalls: z.array(ChatToolCallDto).nullable(),
  toolCallId: string.nullable(),
  toolName: string.nullable(),
  attachments: z.array(ChatAttachmentDto).nullable(),
  /** Why a failed reply ended. */
  error: string.nullable(),
  errorCode: string.nullable(),
  hidden: boolean,
  feedback: string.nullable(),
  feedbackScore: int32,
  feedbackTags: z.array(string).nullable(),
  feedbackComment: string.nullable(),
  feedbackCorrection: string.nullable(),
  trainingPairId: int64.nullable(),
  createdAtUtc: dateTime,
});
export type ChatMessageDto = z.output<typeof ChatMessageDto>;

export const ChatSessionDetailDto = dto('ChatSessionDetailDto', {
  ...ChatSessionDto.shape,
  messages: z.array(ChatMessageDto),
});
export type ChatSessionDetailDto = z.output<typeof ChatSessionDetailDto>;

/** How many chats have a folder or a tag. */
export const ChatLabelDto = dto('ChatLabelDto', { name: string, count: int32 });
export type ChatLabelDto = z.output<typeof ChatLabelDto>;

export const ChatLabelsDto = dto('ChatLabelsDto', {
  /** By path; each counts the chats that lie in it itself. */
  folders: z.array(ChatLabelDto),
  /** The most used first. */
  tags: z.array(ChatLabelDto),
});
export type ChatLabelsDto = z.output<typeof ChatLabelsDto>;

export const ChatsFiledDto = dto('ChatsFiledDto', {
  /** Chats that were changed. */
  count: int32,
});

export const MessageRatingResult = dto('MessageRatingResult', {
  messageId: int64,
  feedback: string.nullable(),
  trainingPairId: int64.nullable(),
  mirrorNote: string.nullable(),
});
export type MessageRatingResult = z.output<typeof MessageRatingResult>;

export const SessionChatResponse = dto('SessionChatResponse', {
  reply: string,
  reasoningContent: string.nullable(),
  model: string,
  promptTokens: int32,
  completionTokens: int32,
  responseTimeMs: int64,
  messageCount: int32,
  totalTokens: int32,
});
export type SessionChatResponse = z.output<typeof SessionChatResponse>;

/** `data` of `chat.stream` on the topic `chat:{id}`, and of each event of a chat stream; order: runtime/chat/events.ts. */
export const ChatStreamEventDto = dto('ChatStreamEventDto', {
  type: ChatStreamEventType,
  sessionId: int64,
  messageId: int64.nullable(),
  index: int32,
  delta: string.nullable(),
  toolCall: ChatToolCallDto.nullable(),
  /** The reply as it stands, with Started, Completed and Error. */
  message: ChatMessageDto.nullable(),
  /** The reply's sums, with Usage, Completed and Error; its text is in `message`. */
  usage: SessionChatResponse.nullable(),
  error: string.nullable(),
  errorCode: string.nullable(),
  /** What can be done about the error. */
  hint: string.nullable(),
});
export type ChatStreamEventDto = z.output<typeof ChatStreamEventDto>;

export const AvailableToolDto = dto('AvailableToolDto', {
  name: string,
  displayName: string,
  description: string,
  category: string,
  source: ToolSource,
  risk: ToolRisk,
  enabled: boolean,
  allowedByPolicy: boolean,
  blockedReason: string.nullable(),
});
export type AvailableToolDto = z.output<typeof AvailableToolDto>;

export const ChatAttachmentInput = dto('ChatAttachmentInput', {
  kind: ChatAttachmentKind,
  name: string.max(300).nullish(),
  mimeType: string.max(200).nullish(),
  text: string.max(2_000_000).nullish(),
  base64: string.max(12_000_000).nullish(),
  url: string.max(4000).nullish(),
  memoryId: int64.nullish(),
  docId: int64.nullish(),
});
export type ChatAttachmentInput = z.output<typeof ChatAttachmentInput>;
