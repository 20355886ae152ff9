// The tasks of runs: made once a key, changed by compare-and-set, announced to whoever watches the run.
import { randomUUID } from 'node:crypto';
import type { TaskStatus } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Db, defineCollection } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { requireTaskMove } from '../../task-transitions.ts';
import type { AgentTaskDto } from '../dto.ts';

export interface TaskDoc {
  _id: number;
  guid: string;
  tenantId: number;
  runId: number;
  /** Runs of one tree may change each other's tasks. */
  rootRunId: number;
  projectId: number | null;
  projectTaskId: number | null;
  title: string;
  description: string | null;
  status: TaskStatus;
  sortOrder: number;
  /** Set by writers that may repeat themselves; unique within the run. */
  key: string | null;
  /** Keys of the latest changes that had one. */
  changeKeys: string[];
  version: number;
  createdAt: Date;
}

export const taskSpec = defineCollection<TaskDoc>({
  name: 'agentTasks',
  indexes: [
    { keys: { tenantId: 1, runId: 1, sortOrder: 1 } },
    { keys: { runId: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $gt: '' } } },
  ],
});

/** How many keys of changes are remembered: many more than calls that may be in flight. */
const rememberedKeys = 32;

/** The run that a task belongs to, as far as tasks care. */
export interface TaskRun {
  id: number;
  tenantId: number;
  rootRunId: number;
  projectId: number | null;
}

export interface TaskDraft {
  title: string;
  description?: string | null;
  status?: TaskStatus;
  projectTaskId?: number | null;
  sortOrder?: number;
  key?: string | null;
}

export type TaskChange = Partial<Pick<TaskDoc, 'title' | 'description' | 'status' | 'projectTaskId' | 'sortOrder'>>;

export function createTasks({ db, ids, clock, publisher }: { db: Db; ids: Ids; clock: Clock; publisher: Publisher }) {
  const tasks = perTenant(db.collection(taskSpec));

  const announce = (task: TaskDoc) =>
    publisher.publish({
      tenantId: task.tenantId,
      topics: [`run:${task.runId}`],
      type: 'run.task',
      data: toTaskDto(task),
    });

  const nextSortOrder = async ({ id, tenantId }: TaskRun) => {
    const last = await tasks(tenantId).findOne({ runId: id }, { sort: { sortOrder: -1 } });
    return (last?.sortOrder ?? 0) + 10;
  };

  return {
    of: tasks,
    /** Adds a task, or answers with the one that has this key already. */
    async create(run: TaskRun, draft: TaskDraft): Promise<TaskDoc> {
      const task: TaskDoc = {
        _id: await ids.next('agentTasks'),
        guid: randomUUID(),
        tenantId: run.tenantId,
        runId: run.id,
        rootRunId: run.rootRunId,
        projectId: run.projectId,
        projectTaskId: draft.projectTaskId ?? null,
        title: draft.title,
        description: draft.description ?? null,
        status: draft.status ?? 'Todo',
        sortOrder: draft.sortOrder ?? (await nextSortOrder(run)),
        key: draft.key ?? null,
        changeKeys: [],
        version: 1,
        createdAt: new Date(clock.now()),
      };
      try {
        await tasks(run.tenantId).insertOne(task);
      } catch (error) {
        const earlier =
          error instanceof Fault &&
          error.code === 'DUPLICATE' &&
          (await tasks(run.tenantId).findOne({ runId: run.id, key: task.key }));
        if (earlier) return earlier;
        throw error;
      }
      await announce(task);
      return task;
    },
    /**
     * Changes a task; a change whose key was seen before is not made again.
     *
     * @param rootRunId - when given, only tasks of this tree are found
     * @throws Fault NOT_FOUND, INVALID_TRANSITION
     */
    async change(
      { tenantId, id, rootRunId, key }: { tenantId: number; id: number; rootRunId?: number; key?: string },
      change: TaskChange,
    ): Promise<TaskDoc> {
      for (;;) {
        const task = await tasks(tenantId).findOne({ _id: id, ...(rootRunId === undefined ? {} : { rootRunId }) });
        if (!task)
          throw new Fault('NOT_FOUND', `There is no task ${id}.`, {
            hint: 'List the tasks of a run with GET /api/agent/runs/{runId}/tasks.',
          });
        if (key !== undefined && task.changeKeys.includes(key)) return task;
        if (change.status !== undefined) requireTaskMove(task.status, change.status);
        const changeKeys = key === undefined ? task.changeKeys : [...task.changeKeys, key].slice(-rememberedKeys);
        const changed = await tasks(tenantId).findOneAndUpdate(
          { _id: id, version: task.version },
          { $set: { ...change, changeKeys, version: task.version + 1 } },
          { returnDocument: 'after' },
        );
        // Somebody else was faster: what may follow depends on what they did.
        if (!changed) continue;
        await announce(changed);
        return changed;
      }
    },
  };
}
export type Tasks = ReturnType<typeof createTasks>;

export function toTaskDto(task: TaskDoc): AgentTaskDto {
  return {
    id: task._id,
    guid: task.guid,
    agentRunId: task.runId,
    projectId: task.projectId,
    projectTaskId: task.projectTaskId,
    projectTaskTitle: null,
    title: task.title,
    description: task.description,
    status: task.status,
    sortOrder: task.sortOrder,
    createdAtUtc: task.createdAt.toISOString(),
  };
}
