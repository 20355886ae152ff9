// The collections of the run engine: one document a run and a tree, and the logs that follow a run.

import type { LogMessage, ToolCallRecord } from '../../../runtime/message-log.ts';
import type {
  AgentEvent,
  AgentEventType,
  ArrivedChild,
  Checkpoint,
  EventLevel,
  InboxItem,
  RunRecord,
} from '../../../runtime/records.ts';
import type { CouncilRecord } from '../../../runtime/state/council.ts';
import type { EscalationRecord } from '../../../runtime/state/escalation.ts';
import type { TreeMember } from '../../../runtime/state/members.ts';
import type { TreeRecord } from '../../../runtime/state/tree.ts';
import { defineCollection, type Entity } from '../../ports/db.ts';

/** Entries that a change has appended to a run's logs and that may not be in them yet. */
export interface Outbox {
  events: AgentEvent[];
  /** The messages as JSON text: their shape is the model's business. */
  messages: { index: number; iteration: number; body: string }[];
  toolCalls: ToolCallRecord[];
}

export interface RunDocument extends Omit<RunRecord, 'id'>, Entity {
  _id: number;
  /** `<tenant>:<idempotency key>`, absent when it has none. */
  onceKey?: string;
  outbox: Outbox | null;
  /** True while `outbox` holds something. */
  dirty: boolean;
  /** How many ratings people gave, and their sum; absent when there are none. */
  ratings?: number;
  ratingSum?: number;
  /** Items that are in `agent_run_items`. */
  moved?: MovedItems;
}

/** The first items of a long list of a run, which are stored elsewhere. */
interface Moved {
  /** How often the list was restarted. */
  round: number;
  count: number;
  /** Items of each chunk. Absent: 32, of which older servers have made their chunks. */
  size?: number;
}

export type MovedItems = { [K in 'seen' | 'arrived' | 'inbox']?: Moved };

/** A chunk of consecutive items of a run's list. */
export interface RunItemsDocument extends Entity {
  /** `<runId>:<list>:<round>:<place of the first>`. */
  _id: string;
  runId: number;
  items: (string | ArrivedChild | InboxItem)[];
}

/** Fields of a run's document that are not part of its record. */
export const ownOfDocument = ['onceKey', 'outbox', 'dirty', 'moved', 'ratings', 'ratingSum'];

export interface TreeDocument extends Omit<TreeRecord, 'id' | 'members'>, Entity {
  _id: number;
  /** Members that changed lately, or all. */
  members: Record<string, TreeMember>;
  isStopping: boolean;
  /** Version up to which members that are not in the document are in `agent_tree_members`; absent or 0 for none. */
  movedAt?: number;
}

/** A member of a tree as it was at a version of the tree. */
export interface TreeMemberDocument extends Entity {
  /** `<treeId>:<runId>`. */
  _id: string;
  treeId: number;
  runId: number;
  version: number;
  member: TreeMember;
}

export interface EscalationDocument extends Omit<EscalationRecord, 'id'>, Entity {
  _id: number;
  closed: boolean;
  /** Open, and hanging on a connection of a node. */
  held: boolean;
}

export interface CouncilDocument extends Omit<CouncilRecord, 'id'>, Entity {
  _id: number;
}

export interface EventDocument extends Omit<AgentEvent, 'id'>, Entity {
  _id: number;
}

/** Consecutive events of a run that had ended (`event-packs.ts`). */
export interface EventPackDocument extends Entity {
  /** Id of its first event. */
  _id: number;
  tenantId: number;
  runId: number;
  /** Number of its last event. */
  last: number;
  /** The types of its events, and the highest of their levels: what holds none of those asked for stays packed. */
  types: AgentEventType[];
  level: EventLevel;
  /** Number of the dictionary that `body` was compressed with. */
  dictionary: number;
  /** Base64 of the compressed JSON array of its `EventDocument`s, in order. */
  body: string;
}

export interface MessageDocument extends Omit<LogMessage, 'message'>, Entity {
  /** `<runId>:<index>`. */
  _id: string;
  runId: number;
  body: string;
}

export interface ToolCallDocument extends ToolCallRecord, Entity {
  /** `<runId>:<key>`. */
  _id: string;
  runId: number;
  messageIndex: number;
  position: number;
  /** Version of the run that wrote it; an older one never replaces a newer one. */
  version: number;
}

export interface CheckpointDocument extends Omit<Checkpoint, 'id'>, Entity {
  _id: string;
}

export interface NodeDocument extends Entity {
  _id: string;
  /** Newest heartbeat, as `beat` gives it. */
  expiresAt: number;
  dead: boolean;
}

/** Fields that analytics sum. */
const runSums = ['iterationsUsed', 'tokensUsed', 'costUsd', 'activeMs', 'ratings', 'ratingSum'];
const dayMs = 86_400_000;
/** One bucket for all time: figures of all time sum no days. */
const everMs = 36_500 * dayMs;

export const runs = defineCollection<RunDocument>({
  name: 'agent_runs',
  times: 'ms',
  indexes: [
    { keys: { onceKey: 1 }, unique: true, sparse: true },
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, workspaceId: 1, _id: 1 }, partialFilterExpression: { workspaceId: { $gt: 0 } } },
    // Filters of lists, each in the order of lists.
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    { keys: { tenantId: 1, role: 1, createdAt: 1 } },
    { keys: { tenantId: 1, modelId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, identityId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, projectId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, taskId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, parentRunId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, mcpOwner: 1, createdAt: 1 }, partialFilterExpression: { mcpOwner: { $gt: '' } } },
    { keys: { rootRunId: 1, createdAt: 1 } },
    // Sorts of lists.
    { keys: { tenantId: 1, startedAt: 1 } },
    { keys: { tenantId: 1, completedAt: 1 } },
    { keys: { tenantId: 1, costUsd: 1 } },
    { keys: { tenantId: 1, parentRunId: 1, costUsd: 1 } },
    { keys: { tenantId: 1, tokensUsed: 1 } },
    // Polls of the engine.
    { keys: { runnableSince: 1 }, name: 'runnable', partialFilterExpression: { runnable: true } },
    { keys: { _id: 1 }, name: 'owned', partialFilterExpression: { owner: { $gt: '' } } },
    { keys: { deadlineAt: 1 }, name: 'timed', partialFilterExpression: { deadlineAt: { $gt: 0 } } },
    { keys: { _id: 1 }, name: 'unfinished', partialFilterExpression: { unfinished: true } },
    { keys: { _id: 1 }, name: 'dirty', partialFilterExpression: { dirty: true } },
  ],
  texts: ['goal'],
  rollups: [
    { per: { path: 'createdAt', ms: everMs }, by: ['tenantId', 'status', 'modelId', 'role'], sums: runSums },
    { per: { path: 'createdAt', ms: dayMs }, by: ['tenantId', 'status'], sums: runSums },
    { per: { path: 'createdAt', ms: dayMs }, by: ['tenantId', 'status', 'modelId'], sums: runSums },
    { per: { path: 'createdAt', ms: dayMs }, by: ['tenantId', 'status', 'role'], sums: runSums },
    { per: { path: 'createdAt', ms: dayMs }, by: ['tenantId', 'status', 'modelId', 'role'], sums: runSums },
    { per: { path: 'createdAt', ms: dayMs }, by: ['tenantId', 'status', 'identityId', 'projectId'], sums: runSums },
    {
      per: { path: 'createdAt', ms: dayMs },
      by: ['tenantId', 'status', 'modelId', 'role', 'identityId', 'projectId'],
      sums: runSums,
    },
    { per: { path: 'createdAt', ms: 3_600_000 }, by: ['tenantId', 'status', 'modelId', 'role'], sums: runSums },
  ],
});

/** Runs that were deleted, by the day on which they were created: what they used was used all the same. */
export interface RemovedRunsDocument extends Entity {
  /** `<tenant>:<start of the day in ms>`. */
  _id: string;
  tenantId: number;
  createdAt: Date;
  runs: number;
  activeMs: number;
}

export const removedRuns = defineCollection<RemovedRunsDocument>({
  name: 'agent_removed_runs',
  indexes: [{ keys: { tenantId: 1, createdAt: 1 } }],
});

export const runItems = defineCollection<RunItemsDocument>({
  name: 'agent_run_items',
  indexes: [{ keys: { runId: 1 } }],
});

export const trees = defineCollection<TreeDocument>({
  name: 'agent_trees',
  times: 'ms',
  indexes: [{ keys: { _id: 1 }, name: 'stopping', partialFilterExpression: { isStopping: true } }],
});

export const treeMembers = defineCollection<TreeMemberDocument>({
  name: 'agent_tree_members',
  indexes: [{ keys: { treeId: 1, version: 1 } }],
});

export const escalations = defineCollection<EscalationDocument>({
  name: 'agent_escalations',
  times: 'ms',
  indexes: [
    { keys: { runId: 1 } },
    { keys: { runId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, closed: 1, createdAt: 1 } },
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    { keys: { tenantId: 1, urgency: 1, createdAt: 1 } },
    { keys: { tenantId: 1, kind: 1, createdAt: 1 } },
    { keys: { tenantId: 1, projectId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, identityId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, timeoutAt: 1 } },
    { keys: { tenantId: 1, resolvedAt: 1 } },
    { keys: { tenantId: 1, runId: 1 } },
    { keys: { timeoutAt: 1 }, name: 'due', partialFilterExpression: { closed: false } },
    { keys: { rootRunId: 1 }, name: 'remembered', partialFilterExpression: { rememberAsRule: true } },
    { keys: { _id: 1 }, name: 'undelivered', partialFilterExpression: { delivered: false } },
    { keys: { _id: 1 }, name: 'held', partialFilterExpression: { held: true } },
  ],
  texts: ['situation'],
  rollups: [{ per: { path: 'createdAt', ms: 86_400_000 }, by: ['tenantId', 'status', 'urgency', 'kind'], sums: [] }],
});

export const councils = defineCollection<CouncilDocument>({
  name: 'agent_councils',
  times: 'ms',
  indexes: [{ keys: { runId: 1 } }, { keys: { chatSessionId: 1 } }, { keys: { tenantId: 1, createdAt: 1 } }],
});

export const events = defineCollection<EventDocument>({
  name: 'agent_events',
  times: 'ms',
  // The type is there so that the events of some types are found without a look at the others.
  indexes: [{ keys: { runId: 1, seq: 1, _id: 1, type: 1 } }],
});

export const eventPacks = defineCollection<EventPackDocument>({
  name: 'agent_event_packs',
  indexes: [{ keys: { runId: 1, last: 1 } }],
});

export const messages = defineCollection<MessageDocument>({
  name: 'agent_messages',
  indexes: [{ keys: { runId: 1, index: 1 } }],
});

export const toolCalls = defineCollection<ToolCallDocument>({
  name: 'agent_tool_calls',
  times: 'ms',
  indexes: [{ keys: { runId: 1, messageIndex: 1, position: 1 } }],
});

export const checkpoints = defineCollection<CheckpointDocument>({
  name: 'agent_checkpoints',
  times: 'ms',
  indexes: [{ keys: { runId: 1, createdAt: -1, messageCount: -1 } }],
});

export const nodes = defineCollection<NodeDocument>({ name: 'agent_nodes', times: 'ms' });

/** Collections for `Db.ensureIndexes`. */
export const runCollections = [
  runs,
  runItems,
  removedRuns,
  trees,
  treeMembers,
  escalations,
  councils,
  events,
  eventPacks,
  messages,
  toolCalls,
  checkpoints,
  nodes,
];
