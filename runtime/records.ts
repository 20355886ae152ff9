// Records of the engine: runs, trees, messages, tool calls, events and checkpoints. Times are ms since 1970 UTC.

import type { Decision, Waiting } from './waits.ts';

export type { Decision, Waiting };

export const runStatuses = [
  'Pending',
  'Queued',
  'Running',
  'WaitingForChildren',
  'WaitingForDecision',
  'Paused',
  'BudgetExhausted',
  'Completed',
  'Failed',
  'TimedOut',
  'Cancelled',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Specification of a run: fields that its creator gives and that a patch may change while it runs. */
export interface RunSpec {
  goal: string;
  projectId: number | null;
  taskId: number | null;
  taskTitle: string | null;
  identityId: number;
  identityName: string | null;
  role: string;
  roleDefinitionId: number | null;
  toolProfileName: string | null;
  modelId: string | null;
  reasoningEffort: string | null;
  maxIterations: number;
  maxTokens: number;
  maxWallClockMs: number;
  contextBudgetTokens: number;
  /** Upper bound of maxIterations, for patches and top-ups. */
  hardIterationCap: number;
  environmentJson: string | null;
  outputPath: string | null;
  contractDeliverable: string | null;
  contractDestination: string | null;
  requestToolDebrief: boolean;
  workspaceId: number | null;
  interactionThreadId: number | null;
  /** The user who started it, for audit and for tools that act on someone's behalf. */
  startedByUserId: number | null;
  tags: string[];
  /** What happens to the parent when this run does not complete. */
  failurePolicy: 'report' | 'fail-parent';
}

/** A request of a caller that does not hold the lease; the owner obeys at its next step. */
export interface Control {
  kind: 'cancel' | 'pause';
  reason: string | null;
  by: string | null;
  at: number;
}

/** An item that the run reads at its next turn. */
export interface InboxItem {
  /** Delivery key: an item is delivered at most once per key. */
  key: string;
  kind: 'message' | 'guidance' | 'child' | 'decision';
  text: string;
  from: string | null;
  at: number;
  childRunId?: number;
  data?: unknown;
}

export interface RunResult {
  summary: string;
  deliverable: string | null;
}

/** Work outside the run's own document that its last change calls for; a repair pass finishes it after a crash. */
export type Duty =
  | 'stop-children'
  | 'hand-over'
  | 'deliver-result'
  | 'leave-tree'
  | 'pass-exhaustion'
  | 'withdraw-escalations';

/** Outcome of the handover of an ended run's files. */
export interface HandoverOutcome {
  /** Events for the run's own log. */
  events: EventDraft[];
  /** Events for its parent's log. */
  parentEvents: EventDraft[];
  /** Place of the parent's files, if the handover created it. */
  parentPlace: RunWorkPlace | null;
  /** Note for the parent's model, delivered with the result; null for none. */
  note: string | null;
}

/** Place of a run's files. */
export type RunWorkPlace = Pick<RunRecord, 'reviewBranch' | 'reviewBaseSha' | 'reviewWorktreePath'>;

/** Handover of a run's files: begun by a node, or done for good. */
export type HandoverRecord = { state: 'begun'; node: string } | ({ state: 'done' } & Omit<HandoverOutcome, 'events'>);

/** Tool sets that a run is offered once it requests them; see systems/turn/tool-sets. */
export type ToolSet = 'children' | 'tasks' | 'council' | 'messages' | 'memory' | 'documents';

export interface RunRecord extends RunSpec {
  id: number;
  guid: string;
  tenantId: number;
  /** Version of the document, the compare-and-set key; grows with every change. */
  version: number;
  rootRunId: number;
  parentRunId: number | null;
  spawnDepth: number;
  idempotencyKey: string | null;
  /** Digest of the request that its key came with; absent without one. */
  askedDigest?: string;
  forkedFrom: { runId: number; checkpointId: string } | null;
  /** For a fork and the runs below it: time of its checkpoint, at which facts and rules are read. */
  knownAt?: number | null;
  /** When it was brought over from another server, where it ended: it is kept to be read, and never goes on. */
  importedAt?: number;
  /** Who began it as a task of MCP, such as `u7` or `i12`; absent for any other run. */
  mcpOwner?: string;
  /** Span in which the run was created, as a `traceparent`: the parent of its own spans. */
  traceparent?: string | null;
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  completedAt: number | null;
  lastCheckpointAt: number | null;

  status: RunStatus;
  failureReason: string | null;
  progressSummary: string | null;
  planJson: string | null;
  result: RunResult | null;
  staleStepCount: number;
  iterationsUsed: number;
  tokensUsed: number;
  promptTokens: number;
  completionTokens: number;
  costUsd: number;
  contextUsedTokens: number;
  /** Tokens charged for calls of unknown usage (the owner died or the call was cut). */
  writtenOffTokens: number;
  /** Budget that ended the last attempt. */
  exhausted: 'pool' | 'run' | null;
  /** Limit that ended it, while the run waits for more. */
  spentLimit?: SpentLimit | null;
  warned: string[];
  sandboxContainerId: string | null;
  reviewBranch: string | null;
  reviewBaseSha: string | null;
  reviewWorktreePath: string | null;
  /** Newest command whose changed files are in the log, and the bytes of their texts so far; absent before the first. */
  filesTold?: { key: string; bytes: number };

  /** Name of the node that holds the lease; null for none. */
  owner: string | null;
  /** Fencing token: grows with every claim; writes with an older one are refused. */
  fence: number;
  /** True when a worker may claim the run: queued, or waiting with its condition met. */
  runnable: boolean;
  runnableSince: number;
  /** Owners lost since the last finished step. */
  crashes: number;
  restarts: number;
  control: Control | null;
  inbox: InboxItem[];
  /** Delivery keys of all inbox items so far that had a key of their own. */
  seen: string[];
  /** Children whose result has been delivered, oldest first. */
  arrived: ArrivedChild[];
  waiting: Waiting[];
  /** True once the run has raised an escalation or convened a council. */
  escalated: boolean;
  /** Ids of standing rules that its model has read; absent when none. */
  rulesTold?: number[];
  /** Tool sets that it has requested; absent when none. */
  toolSets?: ToolSet[];
  /** Model call in flight, reserved in the tree's pool under this id. */
  modelCall: { id: string; tokens: number } | null;
  /** Settlements due in the tree's pool; each is applied once. */
  settlements: Settlement[];
  duties: Duty[];
  handover: HandoverRecord | null;
  /** True while duties, settlements or unpublished events are left. */
  unfinished: boolean;

  /** Number of events so far, equal to the seq of the newest. */
  eventCount: number;
  /** Seq of the newest event known to be published. */
  publishedSeq: number;
  /** Number of entries of the message log. */
  messageCount: number;
  /** Part of the message log that the model sees: the summary, then everything from `from` on. */
  context: { summary: string | null; from: number };
  /** Signatures of the last tool calls, for repeat detection. */
  recentCalls: string[];
  idleTurns: number;
  /** Model calls that failed since the last one that succeeded. */
  modelFailures: number;
  /** True while an iteration has begun without a successful model call: a retry belongs to the same iteration. */
  turnOpen: boolean;

  /** Time counted against maxWallClockMs before `activeSince`, in ms. */
  activeMs: number;
  /** Start of the counted time on the steady clock; null while time does not count. */
  activeSince: number | null;
  /** Time of the next check of its own limit or its tree's deadline, on the steady clock. */
  deadlineAt: number | null;
  /** Deadline of the tree on the wall clock. */
  treeDeadlineAt: number | null;
}

export interface ArrivedChild {
  runId: number;
  status: RunStatus;
  summary: string;
}

export interface Settlement {
  callId: string;
  tokens: number;
  costUsd: number;
  writtenOff: number;
  /** False when the call never reached the model. */
  countIteration: boolean;
}

export interface Checkpoint {
  id: string;
  /** Idempotency key of the request, where it had one. */
  askedKey?: string;
  runId: number;
  iteration: number;
  status: RunStatus;
  tokensUsed: number;
  costUsd: number;
  summary: string | null;
  commitSha: string | null;
  sizeBytes: number;
  createdAt: number;
  /** Length of the message log at the checkpoint; the context that the model saw is below. */
  messageCount: number;
  context: { summary: string | null; from: number };
  planJson: string | null;
  progressSummary: string | null;
}

export const agentEventTypes = [
  'RunCreated',
  'RunQueued',
  'RunStarted',
  'RunPaused',
  'RunResumed',
  'RunRestarted',
  'RunRecovered',
  'RunCompleted',
  'RunFailed',
  'RunTimedOut',
  'RunCancelled',
  'StatusChanged',
  'ProgressUpdated',
  'IterationStarted',
  'IterationCompleted',
  'PlanUpdated',
  'ModelCallStarted',
  'ModelCallCompleted',
  'ModelCallFailed',
  'ModelFallback',
  'ToolCallStarted',
  'ToolCallCompleted',
  'ToolCallFailed',
  'ToolCallBlocked',
  'ToolApprovalRequested',
  'SandboxStarted',
  'SandboxOutput',
  'SandboxStopped',
  'ChildSpawned',
  'ChildCompleted',
  'ChildFailed',
  'SpawnRefused',
  'CheckpointSaved',
  'ContextCompressed',
  'BudgetWarning',
  'BudgetExhausted',
  'PoolChanged',
  'DeadlineWarning',
  'StaleWarning',
  'EscalationRaised',
  'EscalationReviewed',
  'EscalationResolved',
  'EscalationTimedOut',
  'CouncilConvened',
  'CouncilStatement',
  'CouncilVote',
  'CouncilConcluded',
  'MessageReceived',
  'MessageSent',
  'NoteAdded',
  'FeedbackAdded',
  'TaskCreated',
  'TaskUpdated',
  'FileChanged',
  'MemoryRecalled',
  'MemoryWritten',
  'RuleSurfaced',
  'DeliverableChecked',
  'ReviewReady',
  'GuidanceReceived',
  'Log',
] as const;
export type AgentEventType = (typeof agentEventTypes)[number];
export const eventLevels = ['Trace', 'Debug', 'Information', 'Warning', 'Error', 'Critical'] as const;
export type EventLevel = (typeof eventLevels)[number];

/** Draft of an event from a system; the store adds id, guid and seq. */
export interface EventDraft {
  type: AgentEventType;
  title: string;
  level?: EventLevel;
  message?: string | null;
  iteration?: number | null;
  toolName?: string | null;
  toolCallId?: string | null;
  modelId?: string | null;
  promptTokens?: number | null;
  completionTokens?: number | null;
  costUsd?: number | null;
  durationMs?: number | null;
  payload?: unknown;
}

/** Event of a run's own change; `movedTo` is the status that the run moved to with it, see `moveRun`. */
export interface ChangeEvent extends EventDraft {
  movedTo?: RunStatus;
}

export interface AgentEvent {
  id: number;
  guid: string;
  tenantId: number;
  runId: number;
  rootRunId: number;
  parentRunId: number | null;
  /** Number of the event within its run: from 1, without gaps. */
  seq: number;
  type: AgentEventType;
  level: EventLevel;
  iteration: number | null;
  title: string;
  message: string | null;
  toolName: string | null;
  toolCallId: string | null;
  modelId: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  costUsd: number | null;
  durationMs: number | null;
  payloadJson: string | null;
  /** Status that the run moved to with this event, if any. */
  movedTo?: RunStatus;
  createdAt: number;
}

export type LimitName = 'maxIterations' | 'maxTokens' | 'poolIterationBudget' | 'poolTokenBudget' | 'poolCostBudgetUsd';

/** Limit that did not allow the run's next model call. */
export interface SpentLimit {
  limit: LimitName;
  /** Amount that the call needs: turns, tokens or US dollars. */
  needed: number;
}
