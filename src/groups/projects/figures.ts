// Counts of what is in projects, for lists and summaries: one grouped read a kind for all projects of a page.
import { unended } from '../../../runtime/state/run.ts';
import type { CollectionName, Db, Filter } from '../../ports/db.ts';
import { type PerTenant, perTenant, type Tenanted } from '../../ports/tenanted.ts';
import { activityRecord } from '../../projects/activity.ts';
import { closedStatuses } from '../task-transitions.ts';

/** What every document in a project has. */
interface InProject extends Tenanted {
  projectId: number;
  [field: string]: unknown;
}

export type Figures = ReturnType<typeof createFigures>;

/** @param kept - the collections that there are: of others nothing is counted */
export function createFigures({ db, kept }: { db: Db; kept: ReadonlySet<string> }) {
  const of = (name: CollectionName) => perTenant(db.collection<InProject>({ name, indexes: [] }));
  const runs = of('agent_runs');
  const tasks = of('project_tasks');
  const facts = of('facts');
  const docs = of('docs');
  const activities = perTenant(db.collection(activityRecord.spec));

  /** How many documents each of some projects has. */
  const perProject = async (all: typeof runs, tenantId: number, ids: readonly number[], filter: object) => {
    if (!kept.has(all(tenantId).collectionName)) return new Map<number, number>();
    const match = { projectId: { $in: ids }, ...filter } as Filter<InProject>;
    const rows = await all(tenantId)
      .aggregate<{ _id: { projectId: number }; n: number }>([
        { $match: match },
        { $group: { _id: { projectId: '$projectId' }, n: { $count: {} } } },
      ])
      .toArray();
    return new Map(rows.map(({ _id, n }) => [_id.projectId, n]));
  };

  return {
    async of(tenantId: number, ids: readonly number[]) {
      const [taskCounts, openTasks, activeRuns, factCounts, docCounts, last] = await Promise.all([
        perProject(tasks, tenantId, ids, {}),
        perProject(tasks, tenantId, ids, { status: { $nin: closedStatuses } }),
        perProject(runs, tenantId, ids, { status: { $in: unended } }),
        perProject(facts, tenantId, ids, { isCurrent: true }),
        perProject(docs, tenantId, ids, { deletedAt: null }),
        Promise.all(
          ids.map((projectId) =>
            activities(tenantId).findOne({ projectId }, { sort: { createdAt: -1 }, projection: { createdAt: 1 } }),
          ),
        ),
      ]);
      return ids.map((id, at) => ({
        taskCount: taskCounts.get(id) ?? 0,
        openTaskCount: openTasks.get(id) ?? 0,
        activeRunCount: activeRuns.get(id) ?? 0,
        factCount: factCounts.get(id) ?? 0,
        docCount: docCounts.get(id) ?? 0,
        lastActivityAtUtc: last[at]?.createdAt.toISOString() ?? null,
      }));
    },
    ...restOf(of, kept),
  };
}

type Of = (name: CollectionName) => PerTenant<InProject>;

/** Figures of one project. */
function restOf(of: Of, kept: ReadonlySet<string>) {
  const tasks = of('project_tasks');
  return {
    async tasks(tenantId: number, projectId: number, now: Date) {
      if (!kept.has('project_tasks')) return { tasksByStatus: {}, overdueTaskCount: 0 };
      const rows = await tasks(tenantId)
        .aggregate<{ _id: { status: string }; n: number }>([
          { $match: { projectId } },
          { $group: { _id: { status: '$status' }, n: { $count: {} } } },
        ])
        .toArray();
      const overdue = { projectId, dueAt: { $lt: now }, status: { $nin: closedStatuses } } as Filter<InProject>;
      return {
        tasksByStatus: Object.fromEntries(rows.map(({ _id, n }) => [_id.status, n])),
        overdueTaskCount: await tasks(tenantId).countDocuments(overdue),
      };
    },
    openEscalations: (tenantId: number, projectId: number) =>
      of('agent_escalations')(tenantId).countDocuments({ projectId, closed: false } as Filter<InProject>),
    memories: (tenantId: number, projectId: number) =>
      of('memories')(tenantId).countDocuments({ projectId, archivedAt: null } as Filter<InProject>),
    /** Routines that may start runs, and when the next one is due. */
    async routines(tenantId: number, projectId: number) {
      if (!kept.has('agent_routines')) return { routineCount: 0, nextRoutineDueAtUtc: null };
      const live = { projectId, isEnabled: true } as Filter<InProject>;
      const all = of('agent_routines')(tenantId);
      const next = await all.findOne({ ...live, nextDueAt: { $ne: null } } as Filter<InProject>, {
        sort: { nextDueAt: 1 } as never,
      });
      const at = next?.nextDueAt;
      return {
        routineCount: await all.countDocuments({ projectId } as Filter<InProject>),
        nextRoutineDueAtUtc: at instanceof Date ? at.toISOString() : null,
      };
    },
    workspaces: async (tenantId: number, projectId: number): Promise<number[]> => {
      const filter = { projectId, removingAt: null } as Filter<InProject>;
      const found = await of('workspaces')(tenantId)
        .find(filter, { projection: { _id: 1 }, limit: 1000 })
        .toArray();
      return found.map(({ _id }) => Number(_id));
    },
  };
}
