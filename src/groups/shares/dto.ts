// Links by which anybody reads one run or chat, and what they show.
import { z } from 'zod';
import { AgentEventType, AgentRunStatus, SystemLogLevel } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string, uuid } from '../../contract/types.ts';

const link = {
  id: int64,
  guid: uuid,
  /** The run that is shown; null for a chat. */
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  title: string,
  includeFiles: boolean,
  /** Origins whose pages may show it in a frame. */
  embedOrigins: z.array(string),
  expiresAtUtc: dateTime,
  /** The end of its token, to tell links apart. */
  last4: string,
  createdByName: string,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const ShareDto = dto('ShareDto', link);
export type ShareDto = z.output<typeof ShareDto>;

export const NewShareDto = dto('NewShareDto', {
  ...link,
  /** Told once: the server keeps its digest alone. */
  token: string,
  url: string,
  /** What `<rivulet-run>` and `<rivulet-chat>` take as their src; null for a link that no page may embed. */
  embedUrl: string.nullable(),
});
export type NewShareDto = z.output<typeof NewShareDto>;

export const SharedRunDto = dto('SharedRunDto', {
  goal: string,
  role: string,
  modelId: string.nullable(),
  status: AgentRunStatus,
  failureReason: string.nullable(),
  progressSummary: string.nullable(),
  iterationsUsed: int32,
  tokensUsed: int32,
  costUsd: double,
  createdAtUtc: dateTime,
  startedAtUtc: dateTime.nullable(),
  completedAtUtc: dateTime.nullable(),
});
export type SharedRunDto = z.output<typeof SharedRunDto>;

/** An event of a run, without what leads elsewhere. */
export const SharedEventDto = dto('SharedEventDto', {
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
export type SharedEventDto = z.output<typeof SharedEventDto>;

/** A message of a chat: what was said, and which tools were called. */
export const SharedMessageDto = dto('SharedMessageDto', {
  id: int64,
  role: string,
  state: string,
  content: string,
  modelId: string.nullable(),
  tools: z.array(string),
  attachments: z.array(string),
  createdAtUtc: dateTime,
});
export type SharedMessageDto = z.output<typeof SharedMessageDto>;

export const SharedDto = dto('SharedDto', {
  kind: z.enum(['Run', 'Chat']),
  title: string,
  expiresAtUtc: dateTime,
  includeFiles: boolean,
  /** Null for a chat. */
  run: SharedRunDto.nullable(),
});
export type SharedDto = z.output<typeof SharedDto>;

/** `Ended`: nothing more comes. `Closed`: the link holds no longer. */
export const SharedItemDto = dto('SharedItemDto', {
  type: z.enum(['Event', 'Run', 'Message', 'Ended', 'Closed']),
  event: SharedEventDto.nullable(),
  run: SharedRunDto.nullable(),
  message: SharedMessageDto.nullable(),
});
export type SharedItemDto = z.output<typeof SharedItemDto>;
