// The operations of groups that the contracts do not declare yet, by page.
import type {
  AvailableToolDto,
  ChatMessageDto,
  ChatSessionDetailDto,
  ChatSessionDto,
  MessageRatingResult,
  Page,
} from '../../client/index.ts';
import { operation } from './operation.ts';
import type { InfraNodeDto, QueueDto, StoreHealthDto, SystemLogDto } from './wire/system.ts';

export const chat = {
  list: operation<Page<ChatSessionDto>>('GET /api/chat/sessions'),
  create: operation<ChatSessionDto>('POST /api/chat/sessions'),
  get: operation<ChatSessionDetailDto>('GET /api/chat/sessions/{id}'),
  patch: operation<ChatSessionDto>('PATCH /api/chat/sessions/{id}'),
  remove: operation<null>('DELETE /api/chat/sessions/{id}'),
  tools: operation<AvailableToolDto[]>('GET /api/chat/sessions/{sessionId}/available-tools'),
  stop: operation<ChatMessageDto>('POST /api/chat/sessions/{sessionId}/stop'),
  rate: operation<MessageRatingResult>('PATCH /api/chat/messages/{messageId}/feedback'),
};

export const infrastructure = {
  nodes: operation<InfraNodeDto[]>('GET /api/infrastructure/nodes'),
  stores: operation<StoreHealthDto[]>('GET /api/infrastructure/stores'),
  queues: operation<QueueDto[]>('GET /api/infrastructure/queues'),
  logs: operation<Page<SystemLogDto>>('GET /api/system-logs'),
};
