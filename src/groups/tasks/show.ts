// Tasks as they are answered: with names, their place in the order, and counts of what hangs on them.
import { authCollections } from '../../auth/collections.ts';
import type { AgentRunStatus, TaskStatus } from '../../contract/enums.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { shown } from '../../ports/shown.ts';
import { perTenant, type Tenanted } from '../../ports/tenanted.ts';
import { projectRecord } from '../../projects/record.ts';
import { closedStatuses, isClosed } from '../task-transitions.ts';
import { ProjectTaskDto, TaskCommentDto, type TaskDependencyDto } from './dto.ts';
import { type CommentDoc, commentRecord, dependencyRecord, type ProjectTaskDoc, taskRecord } from './record.ts';

/** What is read of the runs of tasks. */
interface TaskRun extends Tenanted {
  _id: number;
  taskId: number;
  status: AgentRunStatus;
  costUsd: number;
}

/** Tasks of a project whose places are counted; those after them all have the last one. */
const mostPlaces = 20_000;

export function createShowTasks({ db }: { db: Db }) {
  const of = collectionsOf(db);
  const around = aroundOf(of);
  return {
    waitsFor: around.waitsFor,
    comment: (doc: CommentDoc): TaskCommentDto => shown(TaskCommentDto, doc),
    async all(tenantId: number, docs: readonly ProjectTaskDoc[]): Promise<ProjectTaskDto[]> {
      const [places, names, named, blockers, worked, comments, below] = await factsOf(of, around, tenantId, docs);
      const said = counted(comments);
      const subtasks = counted(below);
      const openSubtasks = counted(below.filter(({ _id }) => !isClosed(_id)));
      const projectNames = new Map(named.map((one) => [one._id, one.name]));
      return docs.map((doc) => {
        const own = worked.get(doc._id) ?? [];
        const latest = own.at(-1);
        return shown(ProjectTaskDto, doc, {
          projectName: projectNames.get(doc.projectId) ?? null,
          assigneeName: doc.assigneeIdentityId === null ? null : (names.get(doc.assigneeIdentityId) ?? null),
          reporterName: doc.reporterIdentityId === null ? null : (names.get(doc.reporterIdentityId) ?? null),
          sortOrder: places.get(doc._id) ?? mostPlaces,
          subtaskCount: subtasks.get(doc._id) ?? 0,
          openSubtaskCount: openSubtasks.get(doc._id) ?? 0,
          blockedByCount: blockers.get(doc._id) ?? 0,
          commentCount: said.get(doc._id) ?? 0,
          runCount: own.length,
          latestRunId: latest?._id ?? null,
          latestRunStatus: latest?.status ?? null,
          costUsd: own.reduce((sum, one) => sum + one.costUsd, 0),
        });
      });
    },
    ...linksOf(of),
  };
}

const collectionsOf = (db: Db) => {
  const tasks = perTenant(db.collection(taskRecord.spec));
  const dependencies = perTenant(db.collection(dependencyRecord.spec));
  const comments = perTenant(db.collection(commentRecord.spec));
  const projects = perTenant(db.collection(projectRecord.spec));
  const runs = perTenant(db.collection<TaskRun>({ name: 'agent_runs', indexes: [] }));
  const identities = perTenant(authCollections(db).identities);
  return { tasks, dependencies, comments, projects, runs, identities };
};
type Collections = ReturnType<typeof collectionsOf>;

/** What stands around tasks: places, runs, names, and what they wait for. */
function aroundOf({ tasks, dependencies, runs, identities }: Collections) {
  /** How many tasks stand before each of some tasks: those before the first of them are counted, not read. */
  const placesOf = async (tenantId: number, docs: readonly ProjectTaskDoc[]) => {
    const places = new Map<number, number>();
    for (const projectId of new Set(docs.map((doc) => doc.projectId))) {
      const own = docs.filter((doc) => doc.projectId === projectId).sort((a, b) => (a.rank < b.rank ? -1 : 1));
      const [first, last] = [own[0]?.rank as string, own.at(-1)?.rank as string];
      const order = { sort: { rank: 1 }, projection: { rank: 1 }, limit: mostPlaces } as const;
      const [before, among] = await Promise.all([
        tasks(tenantId).countDocuments({ projectId, rank: { $lt: first } }),
        tasks(tenantId)
          .find({ projectId, rank: { $gte: first, $lt: last } }, order)
          .toArray(),
      ]);
      let at = 0;
      for (const { _id, rank } of own) {
        while ((among[at]?.rank ?? rank) < rank) at++;
        places.set(_id, Math.min(before + at, mostPlaces));
      }
    }
    return places;
  };

  const ofRuns = async (tenantId: number, ids: readonly number[]) => {
    const found = runs(tenantId).find({ taskId: { $in: ids } } as Filter<TaskRun>, {
      projection: { _id: 1, taskId: 1, status: 1, costUsd: 1 } as never,
      sort: { _id: 1 },
      limit: 5000,
    });
    const grouped = new Map<number, TaskRun[]>();
    for (const run of await found.toArray()) grouped.set(run.taskId, [...(grouped.get(run.taskId) ?? []), run]);
    return grouped;
  };

  const namesOf = async (tenantId: number, ids: readonly (number | null)[]) => {
    const wanted = [...new Set(ids.filter((id) => id !== null))];
    const found = await identities(tenantId)
      .find({ _id: { $in: wanted } })
      .toArray();
    return new Map(found.map((one) => [one._id, one.displayName]));
  };

  /** How many tasks that are not closed each of some tasks waits for. */
  const waitsFor = async (tenantId: number, ids: readonly number[]): Promise<Map<number, number>> => {
    const all = await dependencies(tenantId)
      .find({ taskId: { $in: ids }, kind: 'Blocks' })
      .toArray();
    const open = await tasks(tenantId)
      .find(
        { _id: { $in: all.map((one) => one.dependsOnTaskId) }, status: { $nin: closedStatuses } },
        { projection: { _id: 1 } },
      )
      .toArray();
    const isOpen = new Set(open.map(({ _id }) => _id));
    const counts = new Map<number, number>();
    for (const { taskId, dependsOnTaskId } of all)
      if (isOpen.has(dependsOnTaskId)) counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
    return counts;
  };
  return { placesOf, ofRuns, namesOf, waitsFor };
}

interface Count {
  _id: { of: number };
  n: number;
}
const counted = (rows: readonly Count[]) => {
  const counts = new Map<number, number>();
  for (const { _id, n } of rows) counts.set(_id.of, (counts.get(_id.of) ?? 0) + n);
  return counts;
};

/** All that a page of tasks is shown with. */
function factsOf(
  { tasks, comments, projects }: Collections,
  { placesOf, ofRuns, namesOf, waitsFor }: ReturnType<typeof aroundOf>,
  tenantId: number,
  docs: readonly ProjectTaskDoc[],
) {
  const ids = docs.map(({ _id }) => _id);
  const projectIds = [...new Set(docs.map(({ projectId }) => projectId))];
  return Promise.all([
    placesOf(tenantId, docs),
    namesOf(
      tenantId,
      docs.flatMap((doc) => [doc.assigneeIdentityId, doc.reporterIdentityId]),
    ),
    projects(tenantId)
      .find({ _id: { $in: projectIds } })
      .toArray(),
    waitsFor(tenantId, ids),
    ofRuns(tenantId, ids),
    comments(tenantId)
      .aggregate<Count>([
        { $match: { taskId: { $in: ids } } },
        { $group: { _id: { of: '$taskId' }, n: { $count: {} } } as never },
      ])
      .toArray(),
    tasks(tenantId)
      .aggregate<{ _id: { of: number; status: TaskStatus }; n: number }>([
        { $match: { parentTaskId: { $in: ids } } },
        { $group: { _id: { of: '$parentTaskId', status: '$status' }, n: { $count: {} } } as never },
      ])
      .toArray(),
  ]);
}

function linksOf({ tasks, dependencies }: Collections) {
  return {
    /** What a task waits for, and what waits for it. */
    async links(
      tenantId: number,
      id: number,
    ): Promise<{ dependencies: TaskDependencyDto[]; dependents: TaskDependencyDto[] }> {
      const of = dependencies(tenantId);
      const [on, by] = await Promise.all([
        of.find({ taskId: id }, { sort: { _id: 1 } }).toArray(),
        of.find({ dependsOnTaskId: id }, { sort: { _id: 1 } }).toArray(),
      ]);
      const others = await tasks(tenantId)
        .find({ _id: { $in: [...on.map((one) => one.dependsOnTaskId), ...by.map((one) => one.taskId)] } })
        .toArray();
      const known = new Map(others.map((one) => [one._id, one]));
      const toDto = (one: (typeof on)[number], otherId: number): TaskDependencyDto[] => {
        const other = known.get(otherId);
        if (!other) return [];
        const { taskId, dependsOnTaskId, kind, createdAt } = one;
        return [
          {
            taskId,
            dependsOnTaskId,
            title: other.title,
            status: other.status,
            kind,
            createdAtUtc: createdAt.toISOString(),
          },
        ];
      };
      return {
        dependencies: on.flatMap((one) => toDto(one, one.dependsOnTaskId)),
        dependents: by.flatMap((one) => toDto(one, one.taskId)),
      };
    },
  };
}
