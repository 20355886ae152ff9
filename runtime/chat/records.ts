// What a chat keeps: sessions, and messages that form a tree. Times are milliseconds since 1970 UTC.
import type { ModelUsage } from '../model.ts';

export type ChatRole = 'system' | 'user' | 'assistant' | 'tool';

/**
 * `Streaming` while a generation writes it; `Stopped` by somebody, `Interrupted` by the loss of its server, `Failed` by
 * the model: what was said until then is kept and can be continued.
 */
export type MessageState = 'Complete' | 'Streaming' | 'Stopped' | 'Interrupted' | 'Failed';

export type ChatToolState = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Blocked' | 'AwaitingApproval';

export interface ChatToolCall {
  id: string;
  name: string;
  argumentsJson: string;
  /** What the tool answered, as JSON text; null until it has. */
  resultJson: string | null;
  status: ChatToolState;
  durationMs: number | null;
  /** The approval that it waits for, or had. */
  escalationId: number | null;
}

/** One model call of a reply, and the tool calls that it asked for. */
export interface ChatStep {
  text: string;
  reasoning: string;
  toolCalls: ChatToolCall[];
  /** JSON text to send back to the provider unchanged. */
  providerState: string | null;
}

export type ChatUsage = Pick<ModelUsage, 'promptTokens' | 'completionTokens' | 'cacheReadTokens' | 'costUsd'>;

export interface ChatAttachment {
  kind: 'Text' | 'Image' | 'File' | 'Memory' | 'Doc' | 'Url';
  name: string | null;
  mimeType: string | null;
  text: string | null;
  base64: string | null;
  url: string | null;
  memoryId: number | null;
  docId: number | null;
}

export interface MessageRecord {
  id: number;
  tenantId: number;
  sessionId: number;
  /** The message that it follows; null for the first of a branch. */
  parentId: number | null;
  role: ChatRole;
  state: MessageState;
  /** All that was said; of a reply the texts of its steps, joined. */
  content: string;
  reasoning: string | null;
  reasoningEffort: string | null;
  reasoningSource: 'model' | 'extracted' | 'none';
  modelId: string | null;
  attachments: ChatAttachment[];
  /** Of a reply: its model calls in order. */
  steps: ChatStep[];
  usage: ChatUsage;
  responseTimeMs: number;
  /** Of a message with role `tool`. */
  toolCallId: string | null;
  toolName: string | null;
  error: { code: string; message: string; hint: string | null } | null;
  /** Left out of what the model sees. */
  hidden: boolean;
  /** Number of the last event of the stream that `content` covers. */
  index: number;
  createdAt: number;
}

/** The generation that holds a session: at most one at a time. */
export interface Generation {
  messageId: number;
  /** The node that writes; null while it waits for a decision. */
  owner: string | null;
  /** Grows with each generation of the session; writes under an older one are refused. */
  fence: number;
  startedAt: number;
}

export interface SessionRecord {
  id: number;
  tenantId: number;
  /** The person or agent whose session it is. */
  userId: number | null;
  ownerIdentityId: number | null;
  /** The persona that answers; null for the plain model. */
  identityId: number | null;
  projectId: number | null;
  title: string;
  /** False while the title was made from the first words. */
  titled: boolean;
  /** Empty: whatever the default or a route chooses. */
  modelId: string;
  reasoningEffort: string | null;
  systemPrompt: string | null;
  /** Names of the tools that replies may use; null for none but those that are always on. */
  enabledTools: string[] | null;
  hydrate: boolean;
  /** Last message of the branch that is shown. */
  activeMessageId: number | null;
  generation: Generation | null;
  /** Stands for all messages of a branch up to and with `throughMessageId`. */
  summary: { text: string; throughMessageId: number } | null;
}
