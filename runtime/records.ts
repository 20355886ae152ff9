// What the engine keeps: runs, their trees, messages, tool calls, events and checkpoints. Times are milliseconds since 1970 UTC.

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

/** What makes a run: fields that its creator gives and that a patch may change while it runs. */
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
  /** No patch or top-up of maxIterations goes above it. */
  hardIterationCap: number;
  environmentJson: string | null;
  outputPath: string | null;
  contractDeliverable: string | null;
  contractDestination: string | null;
  requestToolDebrief: boolean;
  workspaceId: number | null;
  interactionThreadId: number | null;
  /** Who started it, for audit and for tools that act in someone's name. */
  startedByUserId: number | null;
  tags: string[];
  /** What happens to the parent when this run does not complete. */
  failurePolicy: 'report' | 'fail-parent';
}

/** A request of somebody who does not hold the lease; the owner obeys at its next step. */
export interface Control {
  kind: 'cancel' | 'pause';
  reason: string | null;
  by: string | null;
  at: number;
}

/** Something that waits to be read by the run at its next turn. */
export interface InboxItem {
  /** Delivered at most once a key. */
  key: string;
  kind: 'message' | 'guidance' | 'child' | 'decision';
  text: string;
  from: string | null;
  at: number;
  childRunId?: number;
  data?: unknown;
}

/** Why a run holds no worker although it has not ended; one entry a tool call that awaits an outcome. */
export type Waiting =
  | {
      for: 'children';
      callKey: string;
      mode: 'all' | 'any' | 'first';
      count: number;
      runIds: number[];
      /** True for `run_spawn wait`, whose result is one child's. */
      single: boolean;
    }
  | {
      for: 'decision';
      callKey: string | null;
      escalationId: number;
      decision: Decision | null;
      /** Somebody wants a council of the run to decide, and leans to this. */
      council?: { lean: string; notes: string | null } | null;
    };

export interface Decision {
  escalationId: number;
  outcome: 'decided' | 'approved' | 'rejected' | 'revise' | 'timed-out';
  decision: string | null;
  notes: string | null;
  decidedBy: string | null;
  argumentsJson: string | null;
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

/** What became of an ended run's files, for whoever takes the work over. */
export interface HandoverOutcome {
  /** For the run's own log. */
  events: EventDraft[];
  /** For the log of its parent. */
  parentEvents: EventDraft[];
  /** Where the parent's work is, if it has some only now. */
  parentPlace: RunWorkPlace | null;
  /** Said to its parent's model with the result; null when there is nothing to say. */
  note: string | null;
}

/** Where the files of a run are. */
export type RunWorkPlace = Pick<RunRecord, 'reviewBranch' | 'reviewBaseSha' | 'reviewWorktreePath'>;

/** Begun by one node, or done once and for all. */
export type HandoverRecord = { state: 'begun'; node: string } | ({ state: 'done' } & Omit<HandoverOutcome, 'events'>);

/** Tools that a run is offered together once it asks for them; see systems/turn/tool-sets. */
export type ToolSet = 'children' | 'tasks' | 'council' | 'messages' | 'memory' | 'documents';

export interface RunRecord extends RunSpec {
  id: number;
  guid: string;
  tenantId: number;
  /** Grows with every change; the compare-and-set key. */
  version: number;
  rootRunId: number;
  parentRunId: number | null;
  spawnDepth: number;
  idempotencyKey: string | null;
  forkedFrom: { runId: number; checkpointId: string } | null;
  /** When its checkpoint was saved, for a fork and the runs below it: what it knows of facts and rules is as it stood then. */
  knownAt?: number | null;
  /** The span that the run was made in, as a `traceparent`; its own spans are children of that. */
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
  /** Tokens charged for calls whose true usage nobody knows (the owner died or the call was cut). */
  writtenOffTokens: number;
  /** Which budget ended the last attempt. */
  exhausted: 'pool' | 'run' | null;
  /** The limit that did it, while it waits for more. */
  spentLimit?: SpentLimit | null;
  warned: string[];
  sandboxContainerId: string | null;
  reviewBranch: string | null;
  reviewBaseSha: string | null;
  reviewWorktreePath: string | null;

  /** The node that holds the lease; null when nobody does. */
  owner: string | null;
  /** Fencing token: grows with every claim; writes with an older one are refused. */
  fence: number;
  /** A worker may claim it: queued, or waiting with its condition met. */
  runnable: boolean;
  runnableSince: number;
  /** Owners lost since the last finished step. */
  crashes: number;
  restarts: number;
  control: Control | null;
  inbox: InboxItem[];
  /** Keys of everything that ever entered the inbox under a key of its own. */
  seen: string[];
  /** Children whose result has arrived, oldest first. */
  arrived: ArrivedChild[];
  waiting: Waiting[];
  /** Whether it ever raised an escalation or convened a council. */
  escalated: boolean;
  /** Standing rules that came up and that its model has read; absent when none. */
  rulesTold?: number[];
  /** Sets of tools that it has asked for; absent when none. */
  toolSets?: ToolSet[];
  /** The model call in flight, reserved in the tree's pool under this id. */
  modelCall: { id: string; tokens: number } | null;
  /** Settlements to be made in the tree's pool; each is made once. */
  settlements: Settlement[];
  duties: Duty[];
  handover: HandoverRecord | null;
  /** True while duties, settlements or unpublished events are left. */
  unfinished: boolean;

  /** Number of events so far, which is the seq of the newest. */
  eventCount: number;
  /** Newest event known to have been published. */
  publishedSeq: number;
  /** Number of entries of the message log. */
  messageCount: number;
  /** What of the message log the model sees: the summary, then everything from `from` on. */
  context: { summary: string | null; from: number };
  /** Repeat detection over the last tool calls. */
  recentCalls: string[];
  idleTurns: number;
  /** Model calls that failed since the last one that succeeded. */
  modelFailures: number;
  /** An iteration was begun and its model call has not succeeded yet: a repeated call is the same iteration. */
  turnOpen: boolean;

  /** Time counted against maxWallClockMs before `activeSince`, in ms. */
  activeMs: number;
  /** Since when it counts on, by the steady clock; null while it does not. */
  activeSince: number | null;
  /** When its own time or its tree's deadline is checked next, by the steady clock. */
  deadlineAt: number | null;
  /** By the wall clock. */
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
  /** The key of the request that asked for it, where it had one. */
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
  /** Position in the message log and what the model saw of it. */
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

/** An event as a system writes it; the store adds id, guid and seq. */
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

/** An event of a run's own change; `movedTo` is the status that the run took with it, see `moveRun`. */
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
  /** Starts at 1 and has no gaps within a run. */
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
  /** The status that the run took with this event, if it took one. */
  movedTo?: RunStatus;
  createdAt: number;
}

export type LimitName = 'maxIterations' | 'maxTokens' | 'poolIterationBudget' | 'poolTokenBudget' | 'poolCostBudgetUsd';

/** A limit that did not allow a run's next model call. */
export interface SpentLimit {
  limit: LimitName;
  /** What the call needs of it: turns, tokens or US dollars. */
  needed: number;
}
