// What the engine needs from outside: stores, streams, models, tools and a few neighbours, each as small as it can be.
import type { z } from 'zod';
import type { Clock } from '../src/kernel/clock.ts';
import type { Logger } from '../src/kernel/logger.ts';
import type { LogMessage, ToolCallRecord } from './message-log.ts';
import type { Model } from './model.ts';
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
import type { Limits, WorkElsewhere } from './state/tenant-limits.ts';
import type { TreeRecord } from './state/tree.ts';
import type { EventSink } from './views/emission.ts';

export type { EscalationQuery, RunQuery };

/** A document with compare-and-set. `update` runs `decide` on the newest state, again if somebody was faster. */
export interface Documents<T extends { id: number; version: number }> {
  /** With a tenant, only one of that tenant: another's takes as long as one that is not there. */
  get(id: number, tenantId?: number): Promise<T | null>;
  /** The stored document: the given one, or the one that already has this id. */
  insert(document: T): Promise<T>;
  /**
   * Applies the fields that `decide` returns, atomically. Null when there is no document or `decide` returned null.
   * `known`, when given, may spare a read; a stale one costs nothing but a retry.
   */
  update(id: number, decide: (now: T) => Partial<T> | null, known?: T): Promise<T | null>;
}

/** One atomic change of a run: fields of its document and what is appended to its logs. */
export interface RunChange {
  set?: Partial<RunRecord>;
  events?: ChangeEvent[];
  /** Appended to the message log, at the iteration the run then has. */
  messages?: LogMessage['message'][];
  /** Inserted, or replaced by key. */
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
  /** As Documents.get. */
  get(id: number, tenantId?: number): Promise<RunRecord | null>;
  many(ids: readonly number[]): Promise<RunRecord[]>;
  /** The stored run: the given one with `change` applied, or the one that already has this id or idempotency key. */
  insert(run: RunRecord, change: RunChange): Promise<Committed & { existed: boolean }>;
  /** As Documents.update; everything in the change becomes visible together, or nothing of it. */
  update(id: number, decide: (now: RunRecord) => RunChange | null): Promise<Committed | null>;
  remove(id: number): Promise<void>;
  list(query: RunQuery): Promise<{ items: RunRecord[]; total: number }>;
  messages(runId: number, from: number, to?: number): Promise<LogMessage[]>;
  /** Journal entries of one assistant message, in order. */
  toolCalls(runId: number, messageIndex: number): Promise<ToolCallRecord[]>;
  events(runId: number, query: EventQuery): Promise<AgentEvent[]>;
  /** Claimable runs, the longest waiting first. */
  runnable(limit: number): Promise<RunRecord[]>;
  /** Runs whose lease is held by a node that is not in `alive`. */
  orphans(alive: readonly string[], limit: number): Promise<RunRecord[]>;
  /** Runs whose deadline has passed, not ended. */
  overdue(now: number, limit: number): Promise<RunRecord[]>;
  /** Runs nobody holds with duties, settlements or unpublished events left. */
  unfinished(before: number, limit: number): Promise<RunRecord[]>;
}

/** A node's name and the last sign of life of it that somebody saw. */
export interface NodeBeat {
  node: string;
  beat: number;
}

export interface RunStore {
  runs: RunDocuments;
  trees: Documents<TreeRecord> & {
    /** Trees with an unfinished stop request. */
    stopping(limit: number): Promise<TreeRecord[]>;
  };
  checkpoints: {
    save(checkpoint: Checkpoint): Promise<void>;
    /** Newest first. */
    list(runId: number, limit: number): Promise<Checkpoint[]>;
    get(runId: number, id: string): Promise<Checkpoint | null>;
  };
  escalations: Documents<EscalationRecord> & {
    /** Not yet closed and due before `now`. */
    due(now: number, limit: number): Promise<EscalationRecord[]>;
    ofRun(runId: number): Promise<EscalationRecord[]>;
    /** The newest decision on a question that is to be remembered within a tree. */
    remembered(rootRunId: number, questionKey: string): Promise<EscalationRecord | null>;
    list(query: EscalationQuery): Promise<{ items: EscalationRecord[]; total: number }>;
    /** Closed or sent back, but the run has not been told. */
    undelivered(limit: number): Promise<EscalationRecord[]>;
  };
  councils: Documents<CouncilRecord> & {
    ofRun(runId: number): Promise<CouncilRecord[]>;
    ofChat(chatSessionId: number): Promise<CouncilRecord[]>;
  };
  nodes: {
    /** Says that a node lives, by a number that grows. False when it had already been declared dead. */
    beat(node: string, beat: number): Promise<boolean>;
    /** Nodes that nobody has declared dead, each with its newest beat. */
    beats(): Promise<NodeBeat[]>;
    /** Declares nodes dead that have not beaten since: those given, or all but one. */
    bury(gone: readonly NodeBeat[] | { allBut: string }): Promise<void>;
  };
}

export type ToolRisk = 'Safe' | 'Moderate' | 'Dangerous';
export type ToolSource = 'BuiltIn' | 'Memory' | 'Agent' | 'Connector' | 'Mcp' | 'Workspace' | 'Sandbox' | 'Plugin';

export interface ToolContext {
  run: RunRecord;
  /** The provider's id of the call, as events name it. */
  toolCallId: string;
  /** The same for every attempt of one call. */
  idempotencyKey: string;
  signal: AbortSignal;
  /** The span of the call, for what carries it out elsewhere; absent where nothing is traced. */
  traceparent?: string;
  /** Says how far the tool is; shown to viewers, never awaited. */
  progress(text: string): void;
}

/** What a tool gives back: text for the model, with optional effects on the run. */
export interface ToolOutcome {
  content: string;
  isError?: boolean;
  /** Changes of the run, committed together with the result. */
  set?: Partial<RunRecord>;
  events?: EventDraft[];
  /** Ends the run with this turn. */
  end?: { status: 'Completed'; summary: string; deliverable: string | null } | { status: 'Failed'; reason: string };
  /** Child runs whose results this result holds: they are not told a second time. */
  consumes?: number[];
  /** The call has no result yet: the run waits. */
  wait?:
    | { for: 'children'; mode: 'all' | 'any' | 'first'; count: number; runIds: number[]; single: boolean }
    | { for: 'decision'; escalationId: number };
}

/** A tool without what carries it out. */
export interface ToolSpec<Input = unknown> {
  name: string;
  displayName: string;
  description: string;
  category: string;
  source: ToolSource;
  risk: ToolRisk;
  sandboxed: boolean;
  /** Zod for own tools; JSON Schema for tools that check their arguments themselves (MCP, connectors). */
  input: z.ZodType<Input> | { jsonSchema: Record<string, unknown> };
  connectorId?: number | null;
  requiresApproval?: boolean;
  enabled?: boolean;
  /** False keeps it from models; a call is answered all the same, e.g. with the reason why it can't work here. */
  shown?: boolean;
  /** The set with which it is offered once a run asks; from the start without one. A call before that is answered, too. */
  toolSet?: ToolSet;
  /** All that a call does is in its outcome: nothing outside the run changes, and it answers at once. */
  local?: boolean;
  /** Milliseconds that a call may take unless it is `local`; the engine's default otherwise. */
  timeoutMs?: number;
  /** After a crash in the middle of a call: make it again, or tell the model that nobody knows. Default `retry`. */
  whenInterrupted?: 'retry' | 'report';
}

export interface ToolDefinition<Input = unknown> extends ToolSpec<Input> {
  handler(input: Input, context: ToolContext): Promise<ToolOutcome | string>;
}

export interface Tools {
  /** Every tool this run might use, before its policy is applied. */
  forRun(run: RunRecord): Promise<readonly ToolDefinition[]> | readonly ToolDefinition[];
  /** Every tool of a tenant, or of what one of its identities may use, for people to look at. */
  all(tenantId: number, identityId?: number): Promise<readonly ToolDefinition[]> | readonly ToolDefinition[];
}

/** Names of tools by layer; `*` and a trailing `*` match. Blocked wins over opt-in, opt-in over safe. */
export interface ToolPolicy {
  safe: string[];
  /** Needs an approval a call. */
  optIn: string[];
  blocked: string[];
  /** May be used only where they run in the sandbox. */
  sandboxed?: string[];
  layers: string[];
  /** Policies that it never exceeds: those of the runs above. */
  within?: ToolPolicy[];
}

/** What a run starts a turn with. */
export interface Briefing {
  system: string;
  temperature?: number;
  modelId?: string | null;
  fallbackModelIds?: string[];
  policy?: ToolPolicy;
  /** Sets of tools that the run's role is offered from the start. */
  toolSets?: readonly ToolSet[];
  /** Facts of the moment: memories, rules, tasks; placed after the system text. */
  hydration?: string | null;
  /** What was recalled for it: told once a key, with the call that is sent it. */
  recalled?: { key: string; event: EventDraft };
  /** Model that reviews escalations before a person does, and how sure it must be. */
  supervisor?: { modelId: string; autoResolveConfidence: number } | null;
}

export interface Briefings {
  /** Called once a turn; throws Fault NOT_FOUND when role, identity or model is gone. */
  prepare(run: RunRecord, signal: AbortSignal): Promise<Briefing>;
}

export interface DeliverableCheck {
  met: boolean;
  detail: string | null;
}

export interface Contracts {
  /** Whether the run's deliverable contract is met; called only for runs that have one. */
  check(run: RunRecord, deliverable: string | null, signal: AbortSignal): Promise<DeliverableCheck>;
}

/** Notes, tasks and messages live with their groups; each call is idempotent by its key. */
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

/** What a child is given by the role and the identity that it names. */
export interface Staffing {
  /** Throws Fault NOT_FOUND or CONFLICT when there is no such role or identity, or it may not work. */
  specOf(
    parent: RunRecord,
    named: Partial<Pick<RunSpec, 'role' | 'roleDefinitionId' | 'identityId'>>,
  ): Promise<Partial<RunSpec>>;
  /** Throws Fault NOT_FOUND or OWNERSHIP_REQUIRED unless an agent may act as an identity in what it works for. */
  requireActing(work: Work, identityId: number): Promise<unknown>;
}

/** What an agent works for, a run or a chat: as whom, and for whom. */
export interface Work {
  tenantId: number;
  identityId: number | null;
  startedByUserId: number | null;
}

/** What runs make besides their results: files. */
export interface Handover {
  /**
   * Keeps what an ended run has made and gives it to whoever takes it over. Called before its parent hears of its end,
   * and again after a crash: it must then find what it did the first time and answer the same.
   */
  conclude(run: RunRecord, parent: RunRecord | null): Promise<HandoverOutcome>;
  /** Deletes what a run has made, since the run itself was deleted. */
  discard(run: RunRecord): Promise<void>;
}

/** Tells people about an escalation; the answer says how far it got. */
export interface Notifier {
  escalationRaised(
    escalation: EscalationRecord,
    run: RunRecord,
  ): Promise<{ state: EscalationRecord['notificationState']; detail: string | null }>;
}

/** `changed`: a run was changed by a node that does not own it, for its owner to look at; `ended`: for who waits. */
export interface RunSignal {
  kind: 'changed' | 'ended';
  runId: number;
}

/** Wakes other nodes at once; may lose a signal, since each node also looks by itself. */
export interface Signals {
  send(signal: RunSignal): void;
  /** Hears what other nodes send. Returns the function that ends it. */
  listen(handler: (signal: RunSignal) => void): () => void;
}

export interface Ids {
  next(kind: 'run' | 'escalation' | 'council'): Promise<number>;
}

/** Follows the work of runs as spans of a trace. */
export interface Tracing {
  /** Names the span under way, as a `traceparent`, for what goes on later or elsewhere; null outside of any. */
  parent(): string | null;
  /** One stretch of work of a run on this node, from its claim to its rest. */
  run<T>(run: RunRecord, work: () => Promise<T>): Promise<T>;
  /** One call of a tool. */
  tool(call: { run: RunRecord; tool: string; callId: string }, work: () => Promise<ToolOutcome>): Promise<ToolOutcome>;
}

export interface Ports {
  store: RunStore;
  sink: EventSink;
  model: Model;
  clock: Clock;
  log: Logger;
  ids: Ids;
  /** Numbers in [0, 1) that spread retries; Math.random when left out. */
  random?: () => number;
  tools?: Tools;
  briefings?: Briefings;
  contracts?: Contracts;
  desk?: Desk;
  notifier?: Notifier;
  staffing?: Staffing;
  /** The engine's own options where it is left out. */
  limits?: Limits;
  rules?: RuleGate;
  /** Gives a chat the decision that it waits for. False when it cannot take it now: it is given again. */
  chatDecisions?: (told: { tenantId: number; chatSessionId: number; decision: Decision }) => Promise<boolean>;
  handover?: Handover;
  elsewhere?: WorkElsewhere;
  signals?: Signals;
  tracing?: Tracing;
}
