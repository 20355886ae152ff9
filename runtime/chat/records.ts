// What a chat keeps: sessions, and messages that form a tree. Times are milliseconds since 1970 UTC.
import type { ModelUsage } from '../model.ts';

export type ChatRole = 'system' | 'user' | 'assistant' | 'tool';

/**
 * `Streaming` while a generation writes it; `Stopped` by somebody, `Interrupted` by the loss of its server, `Failed` by
 * the model: what was said until then is kept and can be continued.
 */
export type MessageState = 'Complete' | 'Streaming' | 'Stopped' | 'Interrupted' | 'Failed';

/** `AwaitingClient`: the one who asked has the tool, and sends its result with the next request. */
export type ChatToolState =
  | 'Pending'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'Blocked'
  | 'AwaitingApproval'
  | 'AwaitingClient';

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

/** What one reply was asked for beside the session's own settings; kept so that it can be continued alike. */
export interface ReplyOptions {
  modelId?: string;
  reasoningEffort?: string;
  systemPrompt?: string;
  enabledTools?: string[];
  temperature?: number;
  maxOutputTokens?: number;
  /** JSON of the tools that the client has itself: a list of `ModelTool`. */
  clientToolsJson?: string;
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
  modelId: string | null;
  attachments: ChatAttachment[];
  /** Of an assistant's message: its model calls in order. */
  steps: ChatStep[];
  options: ReplyOptions;
  usage: ChatUsage;
  responseTimeMs: number;
  /** Of a message with role `tool`. */
  toolCallId: string | null;
  toolName: string | null;
  error: ReplyError | null;
  /** The model ran into its output limit: a complete reply that can be continued all the same. */
  truncated: boolean;
  /** Left out of what the model sees. */
  hidden: boolean;
  /** Stands for this message and all before it when the branch is too long for the model. */
  summary: string | null;
  /** Number of the last event of the stream that `content` covers. */
  index: number;
  /** When its last generation began. */
  startedAt: number;
  /** Somebody on another node asked to stop it. */
  stopRequested: boolean;
  /** Unique within the session where there is one. */
  idempotencyKey: string | null;
  createdAt: number;
}

export interface ReplyError {
  code: string;
  message: string;
  hint: string | null;
}

/** The generation that holds a session: at most one at a time. */
export interface Generation {
  messageId: number;
  /** The node that writes; null while it waits for a decision. */
  owner: string | null;
  /** Grows with each generation of the session; writes under an older one are refused. */
  fence: number;
  startedAt: number;
  idempotencyKey: string | null;
}

export interface SessionRecord {
  id: number;
  guid: string;
  tenantId: number;
  /** Who talks: a person, or an agent with a key of its own. */
  userId: number | null;
  ownerIdentityId: number | null;
  /** The persona that answers; null for the plain model. */
  identityId: number | null;
  projectId: number | null;
  /** The run that it is about; null for most. */
  aboutRunId: number | null;
  title: string;
  /** False while the title is none or the first words. */
  titled: boolean;
  clientId: string;
  /** `auto` for whatever a route or the default chooses. */
  modelId: string;
  reasoningEffort: string | null;
  systemPrompt: string | null;
  /** Names of the tools that replies may use; a trailing `*` matches. Null for none. */
  enabledTools: string[] | null;
  hydrate: boolean;
  isPinned: boolean;
  archived: boolean;
  /** Last message of the branch that is shown. */
  activeMessageId: number | null;
  messageCount: number;
  /** Of all replies, as the ledger has it. */
  totalTokens: number;
  generation: Generation | null;
  /** The highest fence given so far. */
  fence: number;
  createdAt: number;
  updatedAt: number;
}
