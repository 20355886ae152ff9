// Ports of chat: a store, viewers, models, tools, and the personas that answer.
import type { Clock } from '../../src/kernel/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Model, ModelRequest } from '../model.ts';
import type { AnsweredQuestion, ToolOutcome, ToolPolicy, ToolQuestion, ToolSpec } from '../ports.ts';
import type { RuleGate } from '../state/rule-gate.ts';
import type { ReplyEvent } from './events.ts';
import type { ChatUsage, Generation, MessageRecord, SessionRecord } from './records.ts';

/** Fields of a session that a generation may change. */
export interface SessionChange {
  set?: Partial<Pick<SessionRecord, 'activeMessageId' | 'title' | 'titled' | 'messageCount' | 'totalTokens'>>;
  /** Increments of the counters. */
  add?: { messages?: number; tokens?: number };
}

export interface ChatStore {
  /** An id for a message, larger than `above`. */
  nextMessageId(above: number): Promise<number>;
  session(tenantId: number, id: number): Promise<SessionRecord | null>;
  message(tenantId: number, id: number): Promise<MessageRecord | null>;
  /** All messages of a session, oldest first. */
  messages(tenantId: number, sessionId: number): Promise<MessageRecord[]>;
  replyByKey(tenantId: number, sessionId: number, idempotencyKey: string): Promise<MessageRecord | null>;
  insert(message: MessageRecord): Promise<void>;
  /** Writes fields of a streaming message. Returns the stored message, or null when it streams no more. */
  write(message: MessageRecord, set: Partial<MessageRecord>): Promise<MessageRecord | null>;
  /** Writes fields of a message whatever its state. */
  patch(tenantId: number, id: number, set: Partial<MessageRecord>): Promise<MessageRecord | null>;
  /** Lets a new generation hold a free session, with the next fence; null when another one holds it. */
  claim(tenantId: number, id: number, generation: Omit<Generation, 'fence'>): Promise<SessionRecord | null>;
  /**
   * Moves a generation from one owner to another (null: to none), with the next fence; null when another writer was
   * first.
   */
  transfer(session: SessionRecord, owner: string | null): Promise<SessionRecord | null>;
  /** Ends the generation; null when another one holds the session. */
  release(session: SessionRecord, change: SessionChange): Promise<SessionRecord | null>;
  /** Changes a session, whichever generation holds it. */
  change(tenantId: number, id: number, change: SessionChange): Promise<SessionRecord | null>;
  /** Sessions whose generation has an owner. */
  held(): Promise<SessionRecord[]>;
}

/** Publishes the events of chats in order; never blocks a generation. */
export interface ChatSink {
  stream(session: SessionRecord, reply: { messageId: number; index: number; fence: number }, event: ReplyEvent): void;
  /** A message was stored. */
  message(message: MessageRecord): Promise<void>;
  /** A session was changed. */
  session(session: SessionRecord): Promise<void>;
}

export interface ChatToolContext {
  session: SessionRecord;
  toolCallId: string;
  /** Stable across all attempts of one call. */
  idempotencyKey: string;
  signal: AbortSignal;
  /** The answer to what the call asked before; absent until it has asked. */
  answered?: AnsweredQuestion;
}

export interface ChatTool extends ToolSpec {
  /** True for a tool of the client: its call waits for a result from a later request. */
  ofClient?: boolean;
  handler(
    input: unknown,
    context: ChatToolContext,
  ): Promise<Pick<ToolOutcome, 'content' | 'isError' | 'asks'> | string>;
}

/** Persona and tools of a session, as the model gets them. */
export interface ChatBriefing {
  /** System text; null for a plain model. */
  system: string | null;
  temperature?: number;
  /** Defaults of the persona, where neither the message nor the session says otherwise. */
  modelId?: string;
  reasoningEffort?: string;
  enabledTools?: readonly string[];
  /** How many of the newest messages the model is given; all of them without it. */
  maxContextMessages?: number;
  /** Policy of tools: which may be used, and which need an approval. */
  policy?: ToolPolicy;
  /** Recalled facts of the moment, placed after the system text. */
  hydration?: string | null;
}

export interface ChatBriefings {
  /** Prepares the briefing; called once per generation. Fault NOT_FOUND when the identity is gone. */
  prepare(session: SessionRecord, lastWords: string, signal: AbortSignal): Promise<ChatBriefing>;
}

export interface ChatApprovals {
  /** Reserves an escalation id: its call stores the id before anybody is asked. */
  nextId(): Promise<number>;
  /** Asks people for an approval of a call, or what its tool wants to know. */
  ask(question: {
    escalationId: number;
    session: SessionRecord;
    callKey: string;
    tool: ChatTool;
    argumentsJson: string;
    asks?: ToolQuestion;
  }): Promise<void>;
  /** Withdraws a question that no longer matters; it may never have been raised. */
  withdraw(escalationId: number): Promise<void>;
}

/** Decision on an approval that a chat waits for, or the answer to a question of a tool. */
export interface ApprovalDecision {
  escalationId: number;
  approved: boolean;
  /** Reason of a rejection, for the model. */
  text: string;
  /** Arguments that replace those of the model. */
  argumentsJson: string | null;
  /** What a person has answered; null where nobody did in time. */
  answer: string | null;
  /** The question was lost with the connection that it hung on. */
  lost?: true;
}

/** Result of a tool of the client. */
export interface ClientResult {
  toolCallId: string;
  content: string;
  isError: boolean;
}

/** A generation that has ended. */
export interface EndedReply {
  session: SessionRecord;
  message: MessageRecord;
  state: MessageRecord['state'];
  seconds: number;
  firstTokenSeconds: number | null;
}

export interface Nodes {
  /** Name under which this process owns generations. */
  own(): string;
  /** The same, once its lease is valid: others leave alone what is taken under it. @throws Fault STORE_UNAVAILABLE */
  hold(): Promise<string>;
  /** Names of the processes whose lease is valid. */
  alive(): Promise<string[]>;
}

export interface ChatPorts {
  store: ChatStore;
  sink: ChatSink;
  model: Model;
  /** Cost of the call that was made with this request object, however the call ended. */
  usageOf(request: ModelRequest): Promise<ChatUsage>;
  tools(session: SessionRecord): Promise<readonly ChatTool[]>;
  briefings: ChatBriefings;
  /** Standing rules; those that only a model can judge are in the briefing. */
  rules?: RuleGate;
  approvals: ChatApprovals;
  /** Ends what a lost process had started elsewhere for this reply. Safe to repeat. */
  abandon(session: SessionRecord): Promise<void>;
  nodes: Nodes;
  clock: Clock;
  log: Logger;
  /** Called when a generation has ended; for metrics and meters. */
  onEnded?: (reply: EndedReply) => void;
}
