// Chat: replies that are generated whoever watches, one at a time a session, kept as they grow.
import type { ChatAttachment, MessageRecord } from './records.ts';

export interface ReplyRequest {
  tenantId: number;
  sessionId: number;
  /** Null continues the reply `parentMessageId`, or answers it when a person said it. */
  message: string | null;
  attachments?: ChatAttachment[];
  /** The message to follow; the last one of the branch that is shown when undefined, a new branch's first when null. */
  parentMessageId?: number | null;
  /** Answers again what this reply answered, as a branch beside it. */
  regenerateMessageId?: number;
  /** The same key in the same session is the same reply. */
  idempotencyKey?: string;
  /** For this reply alone; the session's otherwise. */
  modelId?: string;
  reasoningEffort?: string;
  systemPrompt?: string;
  enabledTools?: string[];
  temperature?: number;
  maxOutputTokens?: number;
}

/** A generation that goes on by itself; follow it on the topic of its session. */
export interface StartedReply {
  sessionId: number;
  /** The reply's message: `messageId` of its events. */
  messageId: number;
  /** When it began: its events are at or after this time. */
  startedAt: number;
  /** It was there already, under the same idempotency key. */
  existed: boolean;
}

export interface Chat {
  /**
   * Starts a reply. Resolves when the question and the beginning of the reply are stored.
   *
   * @throws Fault NOT_FOUND, VALIDATION_FAILED; CONFLICT while another reply of the session is being made
   */
  start(request: ReplyRequest): Promise<StartedReply>;
  /** Stops the session's generation; the message as it is kept. Fault CONFLICT when there is none. */
  stop(tenantId: number, sessionId: number): Promise<MessageRecord>;
}
