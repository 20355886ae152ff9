// What an export holds besides the portable documents, as lists: one file each, with the named fields and no others.
import type { Db, Filter, FindOptions } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant, type Tenanted } from '../../ports/tenanted.ts';
import { type EdgeDoc, edgeRecord, type NodeDoc, nodeRecord } from '../graph/record.ts';
import { type HintDoc, hintRecord } from '../identities/hints/record.ts';
import { type TrainingPairDoc, trainingPairRecord } from '../mirror/pairs/record.ts';
import { type ReflectionDoc, reflectionRecord } from '../mirror/reflections/record.ts';
import { mayRead } from '../prompts/access.ts';
import { type PromptDoc, promptRecord } from '../prompts/record.ts';
import { type HandoffDoc, handoffRecord } from '../session/record.ts';
import { taskRecord } from '../tasks/record.ts';
import type { ExportManifest } from './dto.ts';
import { createMail } from './mail.ts';
import { type Reach, wholeOnes } from './reach.ts';
import { ascendingIds, type EventsOf, eventPagesOf, fieldsOf, idOnly, pagesOf, rowsOf } from './reading.ts';

/** What is read of runs. */
interface RunRow extends Tenanted {
  _id: number;
  guid: string;
  goal: string;
  status: string;
  identityId: number | null;
  projectId: number | null;
  parentRunId: number | null;
  rootRunId: number;
  result: object | null;
  progressSummary: string | null;
  createdAt: number;
  updatedAt: number;
}

/** The counts of the manifest. */
export type Counted = Exclude<keyof ExportManifest, 'version' | 'exportedAtUtc'>;

export interface List {
  /** File of the ZIP, a line of JSON each. */
  file: string;
  /** Null for what the manifest has no count of. */
  counted: Counted | null;
  rows(reach: Reach): AsyncGenerator<object>;
}

export function createLists({ db, eventsOf }: { db: Db; eventsOf: EventsOf }): List[] {
  const tasks = perTenant(db.collection(taskRecord.spec));
  return [
    {
      file: 'projects.jsonl',
      counted: 'projectCount',
      async *rows({ projects }) {
        const named = ['guid', 'key', 'name', 'description', 'status', 'repositoryUrl', 'defaultBranch'] as const;
        const more = ['agentInstructions', 'siteSlug', 'icon', 'color', 'tags', 'archivedAt', 'createdAt'] as const;
        for (const { project } of projects) yield fieldsOf(project, [...named, ...more]);
      },
    },
    {
      file: 'tasks.jsonl',
      counted: 'taskCount',
      async *rows(reach) {
        const named = [
          'guid',
          'title',
          'description',
          'acceptanceCriteria',
          'status',
          'statusReason',
          'priority',
        ] as const;
        const more = [
          'dueAt',
          'startedAt',
          'completedAt',
          'estimateMinutes',
          'tags',
          'createdAt',
          'updatedAt',
        ] as const;
        const ids = ['_id', 'parentTaskId', 'assigneeIdentityId', 'reporterIdentityId'] as const;
        for (const { project } of reach.projects)
          yield* rowsOf(
            pagesOf(tasks(reach.caller.tenantId), { projectId: project._id }, reach.at),
            [...ids, ...named, ...more],
            () => ({ project: project.key }),
          );
      },
    },
    ...promptLists(db),
    ...personalLists(db),
    ...mirrorLists(db),
    ...graphLists(db),
    ...runLists(db, eventsOf),
  ];
}

/** Prompts that the caller may read: of the tenant all of them, of an identity those that it has saved. */
function promptLists(db: Db): List[] {
  const prompts = perTenant(db.collection(promptRecord.spec));
  return [
    {
      file: 'prompts.jsonl',
      counted: null,
      async *rows(reach) {
        const saved = reach.scope === 'Tenant' ? {} : { createdByIdentityId: { $in: wholeOnes(reach) } };
        const filter = { ...mayRead(reach.caller), ...saved } as Filter<PromptDoc>;
        const named = ['guid', 'name', 'command', 'description', 'text', 'tags', 'isShared', 'version'] as const;
        const pages = pagesOf(prompts(reach.caller.tenantId), filter, reach.at);
        yield* rowsOf(pages, [...named, 'createdByName', 'createdAt', 'updatedAt']);
      },
    },
  ];
}

/** What is about identities whose stores go along whole. */
function personalLists(db: Db): List[] {
  const hints = perTenant(db.collection(hintRecord.spec));
  const handoffs = perTenant(db.collection(handoffRecord.spec));
  const mailOf = createMail(db);
  return [
    {
      file: 'hints.jsonl',
      counted: 'hintCount',
      async *rows(reach) {
        const named = [
          'guid',
          'identityId',
          'content',
          'category',
          'priority',
          'isRecurring',
          'recurrencePattern',
        ] as const;
        const times = ['triggerAt', 'dismissedAt', 'completedAt', 'createdAt'] as const;
        const filter = { identityId: { $in: wholeOnes(reach) } } as Filter<HintDoc>;
        yield* rowsOf(pagesOf(hints(reach.caller.tenantId), filter, reach.at), [...named, ...times]);
      },
    },
    {
      file: 'handoffs.jsonl',
      counted: 'handoffCount',
      async *rows(reach) {
        const ids = wholeOnes(reach);
        const named = ['guid', 'fromIdentityName', 'toIdentityName', 'title', 'summary', 'openQuestions'] as const;
        const more = ['nextSteps', 'filesTouched', 'claimed', 'createdAt'] as const;
        const ends = [{ forIdentityId: { $in: ids } }, { fromIdentityId: { $in: ids } }];
        const filter = { $or: ends, ...visibleTo<HandoffDoc>(reach.caller) } as Filter<HandoffDoc>;
        const pages = pagesOf(handoffs(reach.caller.tenantId), filter, reach.at);
        yield* rowsOf(pages, [...named, ...more], ({ projectId }) => ({ project: reach.keyOf(projectId) }));
      },
    },
    {
      file: 'messages.jsonl',
      counted: 'messageCount',
      async *rows(reach) {
        const ids = wholeOnes(reach);
        const named = [
          'guid',
          'threadId',
          'senderId',
          'senderName',
          'content',
          'type',
          'priority',
          'createdAt',
        ] as const;
        for (const id of ids)
          yield* rowsOf(mailOf(reach, id, ids), named, ({ recipients, projectId }) => ({
            recipients: recipients.map(({ identityName }) => identityName),
            project: reach.keyOf(projectId),
          }));
      },
    },
  ];
}

function mirrorLists(db: Db): List[] {
  const reflections = perTenant(db.collection(reflectionRecord.spec));
  const pairs = perTenant(db.collection(trainingPairRecord.spec));
  return [
    {
      file: 'reflections.jsonl',
      counted: 'reflectionCount',
      async *rows(reach) {
        const filter = { identityId: { $in: wholeOnes(reach) } } as Filter<ReflectionDoc>;
        const named = ['guid', 'identityId', 'compulsionType', 'intensity', 'triggerContext', 'narrative'] as const;
        const more = ['honestResponse', 'compliantResponse', 'createdAt'] as const;
        yield* rowsOf(pagesOf(reflections(reach.caller.tenantId), filter, reach.at), [...named, ...more]);
      },
    },
    {
      file: 'training-pairs.jsonl',
      counted: 'trainingPairCount',
      async *rows(reach) {
        const filter = { identityId: { $in: wholeOnes(reach) } } as Filter<TrainingPairDoc>;
        const named = ['guid', 'identityId', 'userPrompt', 'chosenResponse', 'rejectedResponse'] as const;
        const pages = pagesOf(pairs(reach.caller.tenantId), filter, reach.at);
        yield* rowsOf(pages, [...named, 'curationStatus', 'createdAt']);
      },
    },
  ];
}

function graphLists(db: Db): List[] {
  const nodes = perTenant(db.collection(nodeRecord.spec));
  const edges = perTenant(db.collection(edgeRecord.spec));
  /** Of an identity its own entities; of a tenant those that everybody sees too. */
  const nodesOf = (reach: Reach, options: Pick<FindOptions<NodeDoc>, 'projection'> = {}) => {
    const owners = [...(reach.scope === 'Tenant' ? [null] : []), ...wholeOnes(reach)];
    const filter = { identityId: { $in: owners }, ...visibleTo<NodeDoc>(reach.caller) } as Filter<NodeDoc>;
    return pagesOf(nodes(reach.caller.tenantId), filter, reach.at, options);
  };
  return [
    {
      file: 'graph-nodes.jsonl',
      counted: 'graphNodeCount',
      async *rows(reach) {
        const named = ['_id', 'guid', 'identityId', 'name', 'kind', 'aliases', 'description', 'importance'] as const;
        const more = ['mentionCount', 'createdAt', 'updatedAt'] as const;
        yield* rowsOf(nodesOf(reach), [...named, ...more], ({ projectId }) => ({ project: reach.keyOf(projectId) }));
      },
    },
    {
      file: 'graph-edges.jsonl',
      counted: 'graphEdgeCount',
      async *rows(reach) {
        const inside = ascendingIds();
        for await (const page of nodesOf(reach, idOnly)) for (const { _id } of page) inside.add(_id);
        const owners = new Set<number | null>([null, ...wholeOnes(reach)]);
        const named = ['fromNodeId', 'toNodeId', 'relation', 'weight', 'provenance', 'observedCount'] as const;
        const of = edges(reach.caller.tenantId);
        for await (const page of nodesOf(reach, idOnly)) {
          const from = { fromNodeId: { $in: page.map(({ _id }) => _id) } } as Filter<EdgeDoc>;
          for await (const some of pagesOf(of, from, reach.at))
            for (const edge of some)
              if (inside.has(edge.toNodeId) && owners.has(edge.identityId))
                yield fieldsOf(edge, [...named, 'validFrom', 'validUntil', 'createdAt']);
        }
      },
    },
  ];
}

function runLists(db: Db, eventsOf: EventsOf): List[] {
  const runs = perTenant(db.collection<RunRow>({ name: 'agent_runs', indexes: [] }));
  const runsOf = (reach: Reach, options: Pick<FindOptions<RunRow>, 'projection'>) => {
    const filter = { identityId: { $in: wholeOnes(reach) }, ...visibleTo<RunRow>(reach.caller) } as Filter<RunRow>;
    return pagesOf(runs(reach.caller.tenantId), filter, reach.at, options);
  };
  return [
    {
      file: 'runs.jsonl',
      counted: 'agentRunCount',
      async *rows(reach) {
        const named = ['_id', 'guid', 'goal', 'status', 'identityId', 'parentRunId', 'rootRunId', 'result'] as const;
        const more = ['progressSummary', 'createdAt', 'updatedAt'] as const;
        const pages = runsOf(reach, { projection: runFields });
        yield* rowsOf(pages, [...named, ...more], ({ projectId }) => ({ project: reach.keyOf(projectId) }));
      },
    },
    {
      file: 'run-events.jsonl',
      counted: 'agentEventCount',
      async *rows(reach) {
        const named = ['guid', 'runId', 'seq', 'type', 'level', 'title', 'message', 'toolName', 'createdAt'] as const;
        for await (const page of runsOf(reach, idOnly))
          for (const { _id: runId } of page) yield* rowsOf(eventPagesOf(eventsOf, runId, reach.at), named);
      },
    },
  ];
}

const runFields = {
  _id: 1,
  guid: 1,
  goal: 1,
  status: 1,
  identityId: 1,
  projectId: 1,
  parentRunId: 1,
  rootRunId: 1,
  result: 1,
  progressSummary: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;
