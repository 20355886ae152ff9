// Restores what is kept as it stands in the document: goals, hints, tasks, reflections, training pairs, hand-offs, entities
// with their relations, prompts, and the souls that an identity had.
import { randomUUID } from 'node:crypto';
import { orderKeyBetween } from '../../../kernel/order.ts';
import { createFinder } from '../../../memory/finder.ts';
import { nameKey } from '../../../memory/graph/extract.ts';
import { unindexed } from '../../../memory/kinds.ts';
import type { Indexes } from '../../../memory/ports.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { KeptDoc, RecordOf } from '../../../ports/record.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { versionRecord } from '../../docs/record.ts';
import type { HistoryKind } from '../../export/portable-history.ts';
import { type RecordKind, storedFields } from '../../export/portable-records.ts';
import type { GraphBook } from '../../graph/book.ts';
import { type EdgeDoc, edgeRecord, type NodeDoc, nameRecord, nodeRecord } from '../../graph/record.ts';
import { hintRecord } from '../../identities/hints/record.ts';
import { soulVersionRecord } from '../../identities/souls/versions.ts';
import { goalRecord } from '../../knowledge-goals/record.ts';
import { trainingPairRecord } from '../../mirror/pairs/record.ts';
import { type ReflectionDoc, reflectionKind, reflectionRecord } from '../../mirror/reflections/record.ts';
import { commandKey } from '../../prompts/access.ts';
import { longestCommand } from '../../prompts/contract.ts';
import { type PromptDoc, promptRecord } from '../../prompts/record.ts';
import { handoffRecord } from '../../session/record.ts';
import { never } from '../../tasks/book.ts';
import { commentRecord, dependencyRecord, type ProjectTaskDoc, taskRecord } from '../../tasks/record.ts';
import type { ItemDoc } from '../record.ts';
import { insertOnce, nobody, type Restoring, type RestoringDeps } from './restoring.ts';
import { type Whole, wholeOf } from './wholes.ts';

export interface RecordDeps extends RestoringDeps {
  indexes: Indexes;
  graph: Pick<GraphBook, 'settle' | 'removeNode' | 'finder'>;
}

type Restored = Exclude<RecordKind, 'project' | HistoryKind>;
type Fields = Record<string, unknown>;

const records: { readonly [Kind in Restored]: RecordOf<never> } = {
  goal: goalRecord,
  hint: hintRecord,
  task: taskRecord,
  comment: commentRecord,
  dependency: dependencyRecord,
  version: versionRecord,
  reflection: reflectionRecord,
  pair: trainingPairRecord,
  handoff: handoffRecord,
  entity: nodeRecord,
  relation: edgeRecord,
  soul: soulVersionRecord,
  prompt: promptRecord,
} as unknown as { readonly [Kind in Restored]: RecordOf<never> };

/** What a kind has besides the fields of the document. */
const besides: { readonly [Kind in Restored]: (r: Restoring, data: Whole<Kind>) => Fields | Promise<Fields> } = {
  goal: (r, { project }) => ({ projectId: r.projectOf(project) }),
  hint: async (r, { memory }) => ({ identityId: r.identityId, sourceMemoryId: await r.memoryOf(memory) }),
  task: async (r, { project, dueAtUtc, parent, assigned, reported }) => ({
    projectId: r.projectOf(project),
    parentTaskId: await r.madeOf(parent),
    assigneeIdentityId: assigned ? r.identityId : null,
    reporterIdentityId: reported ? r.identityId : null,
    claimExpiresAt: null,
    dueOrder: dueAtUtc === null ? never : new Date(dueAtUtc),
    runningRunId: 0,
  }),
  comment: async (r, { project, task, isOwn, mentioned, authorKind }) => ({
    projectId: r.projectOf(project),
    taskId: await r.madeOf(task),
    authorUserId: authorKind === 'User' ? nobody : null,
    authorIdentityId: isOwn ? r.identityId : authorKind === 'Identity' ? nobody : null,
    mentionIdentityIds: mentioned ? [r.identityId] : [],
    runId: null,
  }),
  dependency: async (r, { project, task, on }) => ({
    projectId: r.projectOf(project),
    taskId: await r.madeOf(task),
    dependsOnTaskId: await r.madeOf(on),
  }),
  version: async (r, { project, document, content }) => ({
    projectId: r.projectOf(project),
    docId: await r.madeOf(document),
    contentLength: content.length,
    onceKey: null,
    sourceRunId: null,
    saved: {},
    isOpen: false,
  }),
  reflection: (r) => ({ identityId: r.identityId, ...unindexed }),
  pair: async (r, { reflection }) => ({ identityId: r.identityId, sourceReflectionId: await r.madeOf(reflection) }),
  handoff: (r, { project }) => ({
    fromIdentityId: r.identityId,
    forIdentityId: r.identityId,
    toIdentityId: null,
    toIdentityName: null,
    projectId: r.projectOf(project),
    runId: null,
    chatSessionId: null,
    memoryIds: [],
    taskIds: [],
    claimedByIdentityId: null,
  }),
  entity: (r, { project, name, aliases }) => ({
    identityId: r.identityId,
    projectId: r.projectOf(project),
    nameKeys: [...new Set([name, ...aliases].map(nameKey))],
    isFound: false,
    mentionCount: 0,
    degree: 0,
    ...unindexed,
  }),
  relation: async (r, { from, to }) => ({
    identityId: r.identityId,
    projectId: null,
    fromNodeId: await r.madeOf(from),
    toNodeId: await r.madeOf(to),
    sourceMemoryId: null,
    sourceFactId: null,
    marks: [],
  }),
  soul: (r) => ({ identityId: r.identityId }),
  prompt: (r, { command, isShared }) => {
    const owner = { createdByUserId: r.restore.userId, createdByIdentityId: r.identityId, isShared };
    return { ...owner, commandKey: commandKey({ ...owner, command }), useCount: 0, lastUsedAt: null };
  },
};

/** What something of a kind cannot be without, where that was left out. */
const hangsOn: Partial<Record<Restored, readonly string[]>> = {
  comment: ['taskId'],
  dependency: ['taskId', 'dependsOnTaskId'],
  version: ['docId'],
  relation: ['fromNodeId', 'toNodeId'],
};

export function createRestoringRecords(deps: RecordDeps) {
  const writing = createWriting(deps);
  const { plain } = writing;
  const { restoreEntities, restoreRelations } = graphRecords(deps, writing);
  const reflections = createFinder({ ...deps.indexes, clock: deps.clock }, reflectionKind);

  const restoreReflections = async (r: Restoring): Promise<void> => {
    for await (const doc of writing.documents<ReflectionDoc>(r, 'reflection')) {
      await insertOnce(writing.of<ReflectionDoc>('reflection')(r.by.tenantId), doc);
      await reflections.index(doc);
    }
  };

  return {
    /** Before memories are: what they name is found among these. */
    entities: restoreEntities,
    async all(r: Restoring): Promise<void> {
      await plain(r, 'goal');
      await plain(r, 'hint');
      await restoreTasks(deps, writing, r);
      await plain(r, 'comment');
      await plain(r, 'dependency');
      await plain(r, 'version');
      await restoreReflections(r);
      await plain(r, 'pair');
      await plain(r, 'handoff');
      await restorePrompts(writing, r);
      await restoreRelations(r);
      // An identity that was there has souls of its own.
      if (r.restore.makesIdentity) await plain(r, 'soul');
    },
    /** Takes away what these items became. */
    async remove(tenantId: number, importId: number): Promise<void> {
      const items = deps.sets.items(tenantId);
      for (const kind of Object.keys(records) as Restored[])
        for (;;) {
          const made = { importId, wholeKind: kind, madeId: { $gt: 0 } } as const;
          const some = await items.find(made, { limit: atOnce, projection: { madeId: 1 } }).toArray();
          if (some.length === 0) break;
          const ids = some.flatMap(({ madeId }) => madeId ?? []);
          if (kind === 'entity') {
            for (const id of ids) await deps.graph.removeNode({ tenantId }, id);
            await deps.graph.finder.forget(tenantId, ids);
          } else
            await writing
              .of(kind)(tenantId)
              .deleteMany({ _id: { $in: ids } });
          if (kind === 'reflection') await reflections.forget(tenantId, ids);
          await items.updateMany({ _id: { $in: some.map(({ _id }) => _id) } }, { $set: { madeId: null } });
        }
    },
  };
}

/** Items whose things are removed at once. */
const atOnce = 200;

function createWriting({ db }: RecordDeps) {
  const of = <Doc extends KeptDoc = KeptDoc>(kind: Restored) =>
    perTenant(db.collection(records[kind].spec as unknown as RecordOf<Doc>['spec']));

  /** Null for what hangs on something that is not included. */
  async function documentOf<Kind extends Restored>(r: Restoring, kind: Kind, item: ItemDoc): Promise<object | null> {
    const data = wholeOf(kind, item);
    const made = r.past(data.createdAtUtc);
    const more = await besides[kind](r, data as never);
    if (hangsOn[kind]?.some((name) => more[name] === null)) return null;
    const lacks = new Set<string>(records[kind].lacks);
    return {
      ...storedFields(kind, data),
      ...more,
      _id: await r.idFor(item, records[kind].spec.name),
      tenantId: r.by.tenantId,
      ...(!lacks.has('guid') && { guid: randomUUID() }),
      createdAt: made,
      ...(!lacks.has('updatedAt') && { updatedAt: 'updatedAtUtc' in data ? r.past(data.updatedAtUtc) : made }),
    };
  }

  /** The documents that the items of a kind become. */
  async function* documents<Doc extends KeptDoc = KeptDoc>(r: Restoring, kind: Restored): AsyncGenerator<Doc> {
    for await (const item of r.itemsOf(kind)) {
      r.held.check();
      const doc = await documentOf(r, kind, item);
      if (doc) yield doc as Doc;
    }
  }

  return {
    of,
    documents,
    async plain(r: Restoring, kind: Restored): Promise<void> {
      for await (const doc of documents(r, kind)) await insertOnce(of(kind)(r.by.tenantId), doc);
    },
  };
}
type Writing = ReturnType<typeof createWriting>;

/** Tasks keep their order; where others are in the project already, they may stand behind them. */
async function restoreTasks({ sets }: RecordDeps, { of, documents }: Writing, r: Restoring): Promise<void> {
  const tasks = of<ProjectTaskDoc>('task')(r.by.tenantId);
  for await (const doc of documents<ProjectTaskDoc>(r, 'task'))
    for (let isPlaced = false; !isPlaced; )
      try {
        await insertOnce(tasks, doc);
        isPlaced = true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        const last = { sort: { rank: -1 }, projection: { rank: 1 } } as const;
        const found = await tasks.findOne({ projectId: doc.projectId }, last);
        doc.rank = orderKeyBetween(found?.rank ?? null, null);
      }
  // A parent may come after what stands below it.
  for await (const item of r.itemsOf('task')) {
    const parentTaskId = await r.madeOf(wholeOf('task', item).parent);
    const own = await sets.items(r.by.tenantId).findOne({ _id: item._id }, { projection: { madeId: 1 } });
    if (parentTaskId !== null && own?.madeId != null)
      await tasks.updateOne({ _id: own.madeId }, { $set: { parentTaskId } });
  }
}

/** A command that is taken gets a number. */
async function restorePrompts({ of, documents }: Writing, r: Restoring): Promise<void> {
  for await (const doc of documents<PromptDoc>(r, 'prompt')) {
    const { command } = doc;
    for (let number = 2, isKept = false; !isKept; number++)
      try {
        await insertOnce(of<PromptDoc>('prompt')(r.by.tenantId), doc);
        isKept = true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        const end = `-${number}`;
        doc.command = command.slice(0, longestCommand - end.length) + end;
        doc.commandKey = commandKey(doc);
      }
  }
}

function graphRecords({ db, ids, graph }: RecordDeps, { of, documents }: Writing) {
  const names = perTenant(db.collection(nameRecord.spec));
  return {
    async restoreEntities(r: Restoring): Promise<void> {
      const { tenantId } = r.by;
      for await (const doc of documents<NodeDoc>(r, 'entity')) {
        await insertOnce(of<NodeDoc>('entity')(tenantId), doc);
        for (const key of doc.nameKeys) {
          const name = { nodeId: doc._id, identityId: doc.identityId, projectId: doc.projectId, key };
          if (await names(tenantId).findOne(name)) continue;
          const _id = await ids.next(nameRecord.spec.name);
          await names(tenantId).insertOne({ ...name, _id, tenantId, createdAt: doc.createdAt });
        }
        await graph.finder.index(doc);
      }
    },
    async restoreRelations(r: Restoring): Promise<void> {
      const { tenantId } = r.by;
      for await (const doc of documents<EdgeDoc>(r, 'relation')) {
        await insertOnce(of<EdgeDoc>('relation')(tenantId), doc);
        for (const _id of [doc.fromNodeId, doc.toNodeId]) await graph.settle({ tenantId, _id });
      }
    },
  };
}
