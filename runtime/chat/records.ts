// Records of chat: sessions, and messages that form a tree. Times are milliseconds since 1970 UTC.
import type { ModelUsage } from '../model.ts';
import type { AnsweredQuestion } from '../ports.ts';

export type ChatRole = 'system' | 'user' | 'assistant' | 'tool';

/**
 * `Streaming` while a generation writes it; `Stopped` on request, `Interrupted` by the loss of its server, `Failed` by
 * an error of the model. The text so far is kept and can be continued.
 */
export type MessageState = 'Complete' | 'Streaming' | 'Stopped' | 'Interrupted' | 'Failed';

/** `AwaitingClient`: the tool runs in the client, which sends the result with its next request. */
export type ChatToolState =
  | 'Pending'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'Blocked'
  /** A person has to decide: whether the call is made, or what its tool asks. */
  | 'AwaitingApproval'
  | 'AwaitingClient';

export interface ChatToolCall {
  id: string;
  name: string;
  argumentsJson: string;
  /** Result of the tool as JSON text; null until there is one. */
  resultJson: string | null;
  status: ChatToolState;
  durationMs: number | null;
  /** Id of the approval, or of the question of its tool, that the call waits for or had. */
  escalationId: number | null;
  /** What its tool asks a person; absent in a call that asks nothing, or has a result. */
  asked?: AskedCall;
}

/** What a call asks a person, with what its tool keeps until there is an answer. */
export interface AskedCall {
  kind: string;
  kept: string;
  /** Number of the question: a call may ask one after the other. */
  round: number;
  /** True where the call may not be made again: it was under way on a connection when it asked. */
  once?: true;
  /** Absent while nobody has answered. */
  answer?: Omit<AnsweredQuestion, 'kept'>;
}

/** One model call of a reply, and the tool calls of its answer. */
export interface ChatStep {
  text: string;
  reasoning: string;
  toolCalls: ChatToolCall[];
  /** JSON text of the provider, sent back unchanged with the next call. */
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

/** Options of one reply beside the session's settings; stored so that a continuation uses the same. */
export interface ReplyOptions {
  modelId?: string;
  reasoningEffort?: string;
  systemPrompt?: string;
  enabledTools?: string[];
  temperature?: number;
  maxOutputTokens?: number;
  /** JSON of the client's own tools: a list of `ModelTool`. */
  clientToolsJson?: string;
}

export interface MessageRecord {
  id: number;
  tenantId: number;
  sessionId: number;
  /** Id of the message before this one; null for the first of a branch. */
  parentId: number | null;
  role: ChatRole;
  state: MessageState;
  /** Whole text; for a reply, the texts of its steps, joined. */
  content: string;
  reasoning: string | null;
  reasoningEffort: string | null;
  modelId: string | null;
  attachments: ChatAttachment[];
  /** Model calls of an assistant's message, in order. */
  steps: ChatStep[];
  options: ReplyOptions;
  usage: ChatUsage;
  responseTimeMs: number;
  /** Id of the call that a message with role `tool` answers. */
  toolCallId: string | null;
  toolName: string | null;
  error: ReplyError | null;
  /** True when the model hit its output limit: a complete reply that can still be continued. */
  truncated: boolean;
  /** True to leave the message out of the model's context. */
  hidden: boolean;
  /** Summary of this message and all before it, used when the branch is too long for the model. */
  summary: string | null;
  /** Index of the last stream event that `content` covers. */
  index: number;
  /** Start of its last generation. */
  startedAt: number;
  /** True when another node requested a stop. */
  stopRequested: boolean;
  /** Idempotency key of the request, unique within the session; null without one. */
  idempotencyKey: string | null;
  /** Digest of the request that its key came with; absent without one, and in replies of before. */
  askedDigest?: string;
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
  /** Name of the owning process; null while the generation waits for a decision. */
  owner: string | null;
  /** Fencing token: grows with each generation of the session; writes with an older one are refused. */
  fence: number;
  startedAt: number;
  idempotencyKey: string | null;
}

export interface SessionRecord {
  id: number;
  guid: string;
  tenantId: number;
  /** The user who talks: a person, or an agent with a key of its own. */
  userId: number | null;
  ownerIdentityId: number | null;
  /** Persona that answers; null for the plain model. */
  identityId: number | null;
  projectId: number | null;
  /** Run that the session is about; null for most. */
  aboutRunId: number | null;
  title: string;
  /** False while the title is missing or made of the first words. */
  titled: boolean;
  clientId: string;
  /** Model id; `auto` lets a route or the default choose. */
  modelId: string;
  reasoningEffort: string | null;
  systemPrompt: string | null;
  /** Names of the tools that replies may use; a trailing `*` matches. Null for no tools. */
  enabledTools: string[] | null;
  hydrate: boolean;
  /** True where who talks may not act as the identity: its replies get no tools, and nothing is recalled for them. */
  stranger?: boolean;
  isPinned: boolean;
  archived: boolean;
  /** Names of folders from the outermost, joined by `/`; absent in sessions of before. */
  folder?: string | null;
  /** Its tags, each between ends of lines; empty or absent for none. One text, so that an index of texts finds them. */
  tagText?: string;
  /** Last message of the shown branch. */
  activeMessageId: number | null;
  messageCount: number;
  /** Tokens of all replies, as the ledger counts them. */
  totalTokens: number;
  generation: Generation | null;
  /** Highest fence given so far. */
  fence: number;
  createdAt: number;
  updatedAt: number;
}
