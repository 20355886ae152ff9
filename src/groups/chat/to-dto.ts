// Chats as the interface shows them.
import type { ReplyEvent } from '../../../runtime/chat/events.ts';
import type { ChatAttachment, ChatToolCall, MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import type { ChatMessageDoc } from './documents.ts';
import type {
  ChatAttachmentDto,
  ChatMessageDto,
  ChatSessionDto,
  ChatStreamEventDto,
  ChatToolCallDto,
  SessionChatResponse,
} from './dto.ts';
import { tagsIn } from './filing.ts';

const iso = (at: number) => new Date(at).toISOString();

export function toSessionDto(session: SessionRecord): ChatSessionDto {
  return {
    id: session.id,
    guid: session.guid,
    title: session.title,
    clientId: session.clientId,
    modelId: session.modelId,
    messageCount: session.messageCount,
    totalTokens: session.totalTokens,
    isPinned: session.isPinned,
    archived: session.archived,
    folder: session.folder ?? null,
    tags: tagsIn(session.tagText),
    userId: session.userId,
    identityId: session.identityId,
    projectId: session.projectId,
    reasoningEffort: session.reasoningEffort,
    systemPrompt: session.systemPrompt,
    enabledTools: session.enabledTools,
    hydrate: session.hydrate,
    activeMessageId: session.activeMessageId,
    generatingMessageId: session.generation?.messageId ?? null,
    createdAtUtc: iso(session.createdAt),
    updatedAtUtc: iso(session.updatedAt),
  };
}

/** A message; without its feedback while it is made. */
export function toMessageDto(message: MessageRecord, feedback: ChatMessageDoc['feedback'] = null): ChatMessageDto {
  const calls = message.steps.flatMap(({ toolCalls }) => toolCalls);
  return {
    id: message.id,
    parentMessageId: message.parentId,
    role: message.role,
    state: message.state,
    truncated: message.truncated,
    content: message.content,
    reasoningContent: message.reasoning,
    reasoningEffort: message.reasoningEffort,
    reasoningSource: message.role === 'assistant' ? (message.reasoning === null ? 'none' : 'model') : null,
    modelId: message.modelId,
    promptTokens: message.usage.promptTokens,
    completionTokens: message.usage.completionTokens,
    cacheReadTokens: message.usage.cacheReadTokens,
    costUsd: message.usage.costUsd,
    responseTimeMs: message.responseTimeMs,
    toolCalls: calls.length > 0 ? calls.map(toToolCallDto) : null,
    toolCallId: message.toolCallId,
    toolName: message.toolName,
    attachments: message.attachments.length > 0 ? message.attachments.map(toAttachmentDto) : null,
    error: message.error?.message ?? null,
    errorCode: message.error?.code ?? null,
    hidden: message.hidden,
    feedback: feedback?.rating ?? null,
    feedbackScore: feedback?.score ?? 0,
    feedbackTags: feedback?.tags ?? null,
    feedbackComment: feedback?.comment ?? null,
    feedbackCorrection: feedback?.correction ?? null,
    trainingPairId: feedback?.trainingPairId ?? null,
    createdAtUtc: iso(message.createdAt),
  };
}

export const docToMessageDto = ({ feedback, _id, ...rest }: ChatMessageDoc): ChatMessageDto =>
  toMessageDto({ id: _id, ...rest }, feedback);

const toToolCallDto = ({
  id,
  name,
  argumentsJson,
  resultJson,
  status,
  durationMs,
  escalationId,
  asked,
}: ChatToolCall) =>
  ({
    id,
    name,
    argumentsJson,
    resultJson,
    // Its client runs it.
    status: status === 'AwaitingClient' ? 'Running' : status,
    durationMs,
    escalationId,
    asks: status === 'AwaitingApproval' ? (asked?.kind ?? null) : null,
  }) satisfies ChatToolCallDto;

const toAttachmentDto = ({ kind, name, mimeType, text, base64, url }: ChatAttachment): ChatAttachmentDto => ({
  kind,
  name,
  mimeType,
  sizeBytes: text !== null ? Buffer.byteLength(text) : base64 !== null ? Buffer.byteLength(base64, 'base64') : null,
  url,
});

/** A reply with the sums of its session. */
export function toResponse(message: MessageRecord, session: SessionRecord): SessionChatResponse {
  return {
    reply: message.content,
    reasoningContent: message.reasoning,
    model: message.modelId ?? session.modelId,
    promptTokens: message.usage.promptTokens,
    completionTokens: message.usage.completionTokens,
    responseTimeMs: message.responseTimeMs,
    messageCount: session.messageCount,
    totalTokens: session.totalTokens,
  };
}

/** One event of a reply as its watchers get it. */
export function toStreamDto(
  session: SessionRecord,
  { messageId, index }: { messageId: number; index: number },
  event: ReplyEvent,
): ChatStreamEventDto {
  const dto: ChatStreamEventDto = {
    type: event.type,
    sessionId: session.id,
    messageId,
    index,
    delta: null,
    toolCall: null,
    message: null,
    usage: null,
    error: null,
    errorCode: null,
    hint: null,
  };
  switch (event.type) {
    case 'ContentDelta':
    case 'ReasoningDelta':
      dto.delta = event.delta;
      break;
    case 'ToolCall':
    case 'ToolResult':
      dto.toolCall = toToolCallDto(event.toolCall);
      break;
    case 'Started':
    case 'Ping':
      dto.message = toMessageDto(event.message);
      break;
    case 'Usage':
      dto.usage = toResponse(event.message, session);
      break;
    case 'Completed':
    case 'Error':
      dto.message = toMessageDto(event.message);
      dto.usage = toResponse(event.message, session);
      dto.error = event.message.error?.message ?? null;
      dto.errorCode = event.message.error?.code ?? null;
      dto.hint = event.message.error?.hint ?? null;
      break;
    default:
      event satisfies never;
  }
  return dto;
}
