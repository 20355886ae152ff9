// What chat needs from outside: a store, watchers, models, tools, and who answers.
import type { Clock } from '../../src/kernel/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Model, ModelRequest } from '../model.ts';
import type { ToolOutcome, ToolPolicy, ToolSpec } from '../ports.ts';
import type { RuleGate } from '../state/rule-gate.ts';
import type { ReplyEvent } from './events.ts';
import type { ChatUsage, Generation, MessageRecord, SessionRecord } from './records.ts';

/** Fields of a session that a generation changes. */
export interface SessionChange {
  set?: Partial<Pick<SessionRecord, 'activeMessageId' | 'title' | 'titled' | 'messageCount' | 'totalTokens'>>;
  /** Added to the counters. */
  add?: { messages?: number; tokens?: number };
}

export interface ChatStore {
  nextMessageId(): Promise<number>;
  session(tenantId: number, id: number): Promise<SessionRecord | null>;
  message(tenantId: number, id: number): Promise<MessageRecord | null>;
  /** All messages of a session, oldest first. */
  messages(tenantId: number, sessionId: number): Promise<MessageRecord[]>;
  replyByKey(tenantId: number, sessionId: number, idempotencyKey: string): Promise<MessageRecord | null>;
  insert(message: MessageRecord): Promise<void>;
  /** Writes fields of a message that streams; the stored message, or null when it streams no more. */
  write(message: MessageRecord, set: Partial<MessageRecord>): Promise<MessageRecord | null>;
  /** Writes fields of a message whatever its state. */
  patch(tenantId: number, id: number, set: Partial<MessageRecord>): Promise<MessageRecord | null>;
  /** Gives a session that no generation holds to a new one, with the next fence; null when one holds it. */
  claim(tenantId: number, id: number, generation: Omit<Generation, 'fence'>): Promise<SessionRecord | null>;
  /** Gives a generation from one owner to another (null: to nobody), with the next fence; null when somebody was faster. */
  transfer(session: SessionRecord, owner: string | null): Promise<SessionRecord | null>;
  /** Ends the generation; null when the session is held by another one. */
  release(session: SessionRecord, change: SessionChange): Promise<SessionRecord | null>;
  /** Changes a session, whoever holds it. */
  change(tenantId: number, id: number, change: SessionChange): Promise<SessionRecord | null>;
  /** Sessions whose generation has an owner. */
  held(): Promise<SessionRecord[]>;
}

/** Takes what happens, in order, and never blocks a generation. */
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
  /** The same for every attempt of one call. */
  idempotencyKey: string;
  signal: AbortSignal;
}

export interface ChatTool extends ToolSpec {
  /** The client has it: a call waits for the result that comes with a later request. */
  ofClient?: boolean;
  handler(input: unknown, context: ChatToolContext): Promise<Pick<ToolOutcome, 'content' | 'isError'> | string>;
}

/** Who answers, as a model is told. */
export interface ChatBriefing {
  /** Null for a plain model. */
  system: string | null;
  temperature?: number;
  /** Which tools may be used, and which need an approval. */
  policy?: ToolPolicy;
  /** Facts of the moment, placed after the system text. */
  hydration?: string | null;
}

export interface ChatBriefings {
  /** Called once a generation. Fault NOT_FOUND when the identity is gone. */
  prepare(session: SessionRecord, lastWords: string, signal: AbortSignal): Promise<ChatBriefing>;
}

export interface ChatApprovals {
  /** The number of a question to come: its call keeps it before anybody is asked. */
  nextId(): Promise<number>;
  /** Asks people whether a call may be made. */
  ask(question: {
    escalationId: number;
    session: SessionRecord;
    callKey: string;
    tool: ChatTool;
    argumentsJson: string;
  }): Promise<void>;
  /** The question does not matter any more; it may never have been put. */
  withdraw(escalationId: number): Promise<void>;
}

/** What came of the question whether a tool may be used. */
export interface ApprovalDecision {
  escalationId: number;
  approved: boolean;
  /** For the model, when it was refused. */
  text: string;
  /** Arguments that replace the model's. */
  argumentsJson: string | null;
}

/** What a tool of the client has answered. */
export interface ClientResult {
  toolCallId: string;
  content: string;
  isError: boolean;
}

export interface Nodes {
  /** The name under which this process owns generations. */
  own(): string;
  /** Processes whose lease holds. */
  alive(): Promise<string[]>;
}

export interface ChatPorts {
  store: ChatStore;
  sink: ChatSink;
  model: Model;
  /** What a call that was made with this request object cost, however it ended. */
  usageOf(request: ModelRequest): Promise<ChatUsage>;
  tools(session: SessionRecord): Promise<readonly ChatTool[]>;
  briefings: ChatBriefings;
  /** Standing rules; what only a model can judge is in the briefing. */
  rules?: RuleGate;
  approvals: ChatApprovals;
  /** Ends what a reply whose process was lost had going elsewhere. Safe to repeat. */
  abandon(session: SessionRecord): Promise<void>;
  nodes: Nodes;
  clock: Clock;
  log: Logger;
  /** A generation has ended; for metrics. */
  onEnded?: (reply: { state: MessageRecord['state']; seconds: number; firstTokenSeconds: number | null }) => void;
}
