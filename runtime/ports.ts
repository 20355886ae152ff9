// Ports of the engine: stores, streams, models, tools and a few neighbours.
import type { z } from 'zod';
import type { Clock } from '../src/kernel/clock.ts';
import type { Logger } from '../src/kernel/logger.ts';
import type { LogMessage, ToolCallRecord } from './message-log.ts';
import type { Model, ModelMessage } from './model.ts';
import type { EscalationQuery, RunQuery } from './queries.ts';
import type {
  AgentEvent,
  AgentEventType,
  ChangeEvent,
  Checkpoint,
  Decision,
  EventDraft,
  EventLevel,
  HandoverOutcome,
  RunRecord,
  RunSpec,
  ToolSet,
} from './records.ts';
import type { CouncilRecord } from './state/council.ts';
import type { EscalationRecord } from './state/escalation.ts';
import type { RuleGate } from './state/rule-gate.ts';
import type { Limits, WorkElsewhere, WorkGate } from './state/tenant-limits.ts';
import type { TreeRecord } from './state/tree.ts';
import type { AnsweredQuestion, HeldQuestion, ToolQuestion } from './tool-questions.ts';
import type { EventSink } from './views/emission.ts';
import type { RunText } from './views/run-text.ts';

export type { AnsweredQuestion, EscalationQuery, HeldQuestion, RunQuery, ToolQuestion };

/** Documents with compare-and-set. `update` runs `decide` on the newest state, again after a lost race. */
export interface Documents<T extends { id: number; version: number }> {
  /** `tenantId` restricts the read to that tenant; a foreign document takes as long as a missing one. */
  get(id: number, tenantId?: number): Promise<T | null>;
  /** Inserts a document. Returns the stored one: the given one, or the one that already has this id. */
  insert(document: T): Promise<T>;
  /**
   * Applies the fields that `decide` returns, atomically. Null when there is no document or `decide` returned null.
   * `known`, when given, may spare a read; a stale one costs only a retry.
   */
  update(id: number, decide: (now: T) => Partial<T> | null, known?: T): Promise<T | null>;
}

/** One atomic change of a run: fields of its document and what is appended to its logs. */
export interface RunChange {
  set?: Partial<RunRecord>;
  events?: ChangeEvent[];
  /** Messages to append to the message log, at the iteration the run then has. */
  messages?: LogMessage['message'][];
  /** Turns of the first of these messages, where the change began in an earlier turn than the run then has. */
  turns?: number[];
  /** Journal entries to insert, or to replace by key. */
  toolCalls?: ToolCallRecord[];
}

export interface Committed {
  run: RunRecord;
  /** The events of this change with their seq. */
  events: AgentEvent[];
}

export interface EventQuery {
  afterSeq?: number;
  beforeSeq?: number;
  types?: AgentEventType[];
  minLevel?: EventLevel;
  descending?: boolean;
  limit: number;
}

export interface RunDocuments {
  /** See Documents.get. */
  get(id: number, tenantId?: number): Promise<RunRecord | null>;
  many(ids: readonly number[]): Promise<RunRecord[]>;
  /** Inserts a run. Returns it with `change` applied, or the one that already has this id or idempotency key. */
  insert(run: RunRecord, change: RunChange): Promise<Committed & { existed: boolean }>;
  /** See Documents.update. The whole change becomes visible at once. */
  update(id: number, decide: (now: RunRecord) => RunChange | null): Promise<Committed | null>;
  remove(id: number): Promise<void>;
  list(query: RunQuery): Promise<{ items: RunRecord[]; total: number }>;
  /** The same runs for their views alone: as texts, where the store has these. */
  listTexts(query: RunQuery): Promise<{ items: (RunRecord | RunText)[]; total: number }>;
  messages(runId: number, from: number, to?: number): Promise<LogMessage[]>;
  /** Journal entries of one assistant message, in order. */
  toolCalls(runId: number, messageIndex: number): Promise<ToolCallRecord[]>;
  events(runId: number, query: EventQuery): Promise<AgentEvent[]>;
  /** The views of the same events as the text of a JSON array. */
  eventTexts(runId: number, query: EventQuery): Promise<string>;
  /**
   * Stores the events of a run that has ended, and has told all of them, so that they take less room; every read gives
   * what it gave before. Returns how many it packed: none of another run, or where it is done already.
   */
  packEvents(runId: number): Promise<number>;
  /** Claimable runs, the longest waiting first. */
  runnable(limit: number): Promise<RunRecord[]>;
  /** Runs whose lease belongs to a node that is not in `alive`. */
  orphans(alive: readonly string[], limit: number): Promise<RunRecord[]>;
  /** Unended runs whose deadline has passed. */
  overdue(now: number, limit: number): Promise<RunRecord[]>;
  /** Runs without an owner that have duties, settlements or unpublished events left. */
  unfinished(before: number, limit: number): Promise<RunRecord[]>;
}

/** A node's name and its newest heartbeat. */
export interface NodeBeat {
  node: string;
  beat: number;
}

export interface RunStore {
  runs: RunDocuments;
  trees: Documents<TreeRecord> & {
    /** Trees with an unfinished stop request. */
    stopping(limit: number): Promise<TreeRecord[]>;
    /** Removes a tree that has no run left. */
    removeEmpty(id: number): Promise<void>;
  };
  checkpoints: {
    save(checkpoint: Checkpoint): Promise<void>;
    /** Checkpoints of a run, newest first. */
    list(runId: number, limit: number): Promise<Checkpoint[]>;
    get(runId: number, id: string): Promise<Checkpoint | null>;
  };
  escalations: Documents<EscalationRecord> & {
    /** Open escalations due before `now`. */
    due(now: number, limit: number): Promise<EscalationRecord[]>;
    ofRun(runId: number): Promise<EscalationRecord[]>;
    /** The newest remembered decision on a question within a tree. */
    remembered(rootRunId: number, questionKey: string): Promise<EscalationRecord | null>;
    list(query: EscalationQuery): Promise<{ items: EscalationRecord[]; total: number }>;
    /** Escalations that are closed or sent back, but whose outcome is not delivered to the run. */
    undelivered(limit: number): Promise<EscalationRecord[]>;
    /** Open escalations that hang on a connection of some node. */
    held(limit: number): Promise<EscalationRecord[]>;
  };
  councils: Documents<CouncilRecord> & {
    ofRun(runId: number): Promise<CouncilRecord[]>;
    ofChat(chatSessionId: number): Promise<CouncilRecord[]>;
  };
  nodes: {
    /** Writes a node's heartbeat, a number that grows. False when the node had already been declared dead. */
    beat(node: string, beat: number): Promise<boolean>;
    /** Nodes that are not declared dead, each with its newest heartbeat. */
    beats(): Promise<NodeBeat[]>;
    /** Declares nodes dead: the given ones unless they have beaten since, or all but one. */
    bury(gone: readonly NodeBeat[] | { allBut: string }): Promise<void>;
  };
}

export type ToolRisk = 'Safe' | 'Moderate' | 'Dangerous';
export type ToolSource = 'BuiltIn' | 'Memory' | 'Agent' | 'Connector' | 'Mcp' | 'Workspace' | 'Sandbox' | 'Plugin';

export interface ToolContext {
  run: RunRecord;
  /** The provider's id of the call, used in events. */
  toolCallId: string;
  /** Stable across all attempts of one call. */
  idempotencyKey: string;
  signal: AbortSignal;
  /** Span of the call as a `traceparent`, for work elsewhere; absent without tracing. */
  traceparent?: string;
  /** The answer to what the call asked before; absent until it has asked. */
  answered?: AnsweredQuestion;
  /** Asks the run's model for a text, at the run's expense. Null where the run or its pool cannot afford it. */
  model?(asked: AskedModel): Promise<{ text: string; modelId: string } | null>;
  /** Reports progress of the tool to viewers; never awaited. */
  progress(text: string): void;
}

/** What a tool asks a model. */
export interface AskedModel {
  messages: ModelMessage[];
  maxOutputTokens: number;
}

/** Outcome of a tool: text for the model, with optional effects on the run. */
export interface ToolOutcome {
  content: string;
  isError?: boolean;
  /** Fields of the run, committed together with the result. */
  set?: Partial<RunRecord>;
  events?: EventDraft[];
  /** Ends the run with this turn. */
  end?: { status: 'Completed'; summary: string; deliverable: string | null } | { status: 'Failed'; reason: string };
  /** Child runs whose results this result contains: they are not delivered again. */
  consumes?: number[];
  /** The call has no result before a person has answered: the run waits, then its handler is called again. */
  asks?: ToolQuestion;
  /** The call has no result yet, so the run waits. */
  wait?:
    | { for: 'children'; mode: 'all' | 'any' | 'first'; count: number; runIds: number[]; single: boolean }
    | { for: 'decision'; escalationId: number };
}

/** Declaration of a tool, without its handler. */
export interface ToolSpec<Input = unknown> {
  name: string;
  displayName: string;
  description: string;
  category: string;
  source: ToolSource;
  risk: ToolRisk;
  sandboxed: boolean;
  /**
   * Input schema: Zod for our own tools; JSON Schema for tools that check their arguments themselves (MCP,
   * connectors).
   */
  input: z.ZodType<Input> | { jsonSchema: Record<string, unknown> };
  connectorId?: number | null;
  requiresApproval?: boolean;
  enabled?: boolean;
  /** False hides the tool from models; a call still gets an answer, e.g. why the tool is not available here. */
  shown?: boolean;
  /** True when a call starts a child run, in the role of its argument `role`. */
  spawns?: boolean;
  /** Tool set that the run must request first; offered from the start without one. Earlier calls are answered, too. */
  toolSet?: ToolSet;
  /** True when a call changes nothing outside the run and answers at once. */
  local?: boolean;
  /** Timeout of a call in ms unless it is `local`; the engine's default otherwise. */
  timeoutMs?: number;
  /**
   * After a crash during a call: `retry` makes it again (default), `report` tells the model that the outcome is
   * unknown.
   */
  whenInterrupted?: 'retry' | 'report';
}

export interface ToolDefinition<Input = unknown> extends ToolSpec<Input> {
  handler(input: Input, context: ToolContext): Promise<ToolOutcome | string>;
}

export interface Tools {
  /** All tools that this run might use, before its policy is applied. */
  forRun(run: RunRecord): Promise<readonly ToolDefinition[]> | readonly ToolDefinition[];
  /** All tools of a tenant, or of one of its identities, for lists. */
  all(tenantId: number, identityId?: number): Promise<readonly ToolDefinition[]> | readonly ToolDefinition[];
}

/** Tool names by layer; `*` and a trailing `*` match. Blocked wins over opt-in, opt-in over safe. */
export interface ToolPolicy {
  safe: string[];
  /** Tools that need an approval for each call. */
  optIn: string[];
  blocked: string[];
  /** Tools that may be used only in the sandbox. */
  sandboxed?: string[];
  layers: string[];
  /** Policies that limit this one: those of the runs above. */
  within?: ToolPolicy[];
}

/** Briefing of a run for one turn. */
export interface Briefing {
  system: string;
  temperature?: number;
  modelId?: string | null;
  fallbackModelIds?: string[];
  policy?: ToolPolicy;
  /** Tool sets that the run's role is offered from the start. */
  toolSets?: readonly ToolSet[];
  /** Recalled facts of the moment: memories, rules, tasks; placed after the system text. */
  hydration?: string | null;
  /** Event of what was recalled, published once per key with the call that receives it. */
  recalled?: { key: string; event: EventDraft };
  /** Model that reviews escalations before a person, and its confidence threshold from 0 to 1. */
  supervisor?: { modelId: string; autoResolveConfidence: number } | null;
}

export interface Briefings {
  /** Prepares the briefing; called once per turn. Throws Fault NOT_FOUND when role, identity or model is gone. */
  prepare(run: RunRecord, signal: AbortSignal): Promise<Briefing>;
}

export interface DeliverableCheck {
  met: boolean;
  detail: string | null;
}

export interface Contracts {
  /** Checks the run's deliverable contract; called only for runs that have one. */
  check(run: RunRecord, deliverable: string | null, signal: AbortSignal): Promise<DeliverableCheck>;
}

/** Notes, tasks and messages of a run; each call is idempotent by its key. */
export interface Desk {
  addNote(run: RunRecord, note: { type: string; content: string }, key: string): Promise<void>;
  createTask(
    run: RunRecord,
    task: { title: string; description: string | null; status: string },
    key: string,
  ): Promise<{ id: number }>;
  updateTask(
    run: RunRecord,
    id: number,
    change: { title?: string; description?: string; status?: string },
    key: string,
  ): Promise<void>;
  sendMessage(
    run: RunRecord,
    message: { to: string; content: string; priority: string },
    key: string,
  ): Promise<{ id: number }>;
}

/** Fields of a child run that come from its role and its identity. */
export interface Staffing {
  /** Throws Fault NOT_FOUND or CONFLICT when the role or identity is missing or may not work. */
  specOf(
    parent: RunRecord,
    named: Partial<Pick<RunSpec, 'role' | 'roleDefinitionId' | 'identityId'>>,
  ): Promise<Partial<RunSpec>>;
  /** Throws Fault NOT_FOUND or OWNERSHIP_REQUIRED unless an agent may act as this identity. */
  requireActing(work: Work, identityId: number): Promise<unknown>;
}

/** The run or chat that an agent works for: its tenant, its identity, its user. */
export interface Work {
  tenantId: number;
  identityId: number | null;
  startedByUserId: number | null;
}

/** Handover of the files that runs make. */
export interface Handover {
  /**
   * Keeps the files of an ended run and hands them over to its parent. Called before the parent receives the result,
   * and again after a crash: a repeated call must find the first outcome and return the same.
   */
  conclude(run: RunRecord, parent: RunRecord | null): Promise<HandoverOutcome>;
  /** Deletes the files of a deleted run. */
  discard(run: RunRecord): Promise<void>;
}

/** Notifies people of an escalation; returns how far the notification got. */
export interface Notifier {
  escalationRaised(
    escalation: EscalationRecord,
    run: RunRecord,
  ): Promise<{ state: EscalationRecord['notificationState']; detail: string | null }>;
}

/**
 * Signals between nodes. `changed`: a node changed a run that another one owns; `ended`: for callers that wait for
 * its end; `decided`: a question of a chat, for the node with the connection that it hangs on.
 */
export type RunSignal = { kind: 'changed' | 'ended'; runId: number } | { kind: 'decided'; escalationId: number };

/** Wakes other nodes at once; a signal may be lost, since each node also polls. */
export interface Signals {
  send(signal: RunSignal): void;
  /** Subscribes to the signals of other nodes. Returns the function that unsubscribes. */
  listen(handler: (signal: RunSignal) => void): () => void;
}

export interface Ids {
  next(kind: 'run' | 'escalation' | 'council'): Promise<number>;
}

/** Traces the work of runs as spans. */
export interface Tracing {
  /** The current span as a `traceparent`, for work later or elsewhere; null outside of any. */
  parent(): string | null;
  /** Span of one stretch of work on a run, from its claim to its rest. */
  run<T>(run: RunRecord, work: () => Promise<T>): Promise<T>;
  /** Span of one tool call. */
  tool(call: { run: RunRecord; tool: string; callId: string }, work: () => Promise<ToolOutcome>): Promise<ToolOutcome>;
}

export interface Ports {
  store: RunStore;
  sink: EventSink;
  model: Model;
  clock: Clock;
  log: Logger;
  ids: Ids;
  /** Random numbers in [0, 1) that spread retries; default Math.random. */
  random?: () => number;
  tools?: Tools;
  briefings?: Briefings;
  contracts?: Contracts;
  desk?: Desk;
  notifier?: Notifier;
  staffing?: Staffing;
  /** Limits of tenants; the engine's own options when absent. */
  limits?: Limits;
  /** What the operator allows the queue of runs. */
  gate?: WorkGate;
  rules?: RuleGate;
  /**
   * Delivers a decision to the chat that waits for it. False when the chat cannot take it yet: it is delivered
   * again.
   */
  chatDecisions?: (told: { tenantId: number; chatSessionId: number; decision: Decision }) => Promise<boolean>;
  handover?: Handover;
  elsewhere?: WorkElsewhere;
  signals?: Signals;
  tracing?: Tracing;
}
