// The tasks of runs: made once a key, changed by compare-and-set, announced to whoever watches the run.
import type { TaskStatus } from '../../../contract/enums.ts';
import { int32Max } from '../../../contract/types.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Db } from '../../../ports/db.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import { createKeeper } from '../../../ports/keeper.ts';
import { record } from '../../../ports/record.ts';
import { shown } from '../../../ports/shown.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { requireTaskMove } from '../../task-transitions.ts';
import { AgentTaskDto } from '../dto.ts';

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

const taskRecord = record<TaskDoc>('agent_tasks', {
  noun: 'task',
  list: 'GET /api/agent/runs/{runId}/tasks',
  order: 'sortOrder',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, runId: 1, sortOrder: 1 } },
    { keys: { runId: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $gt: '' } } },
  ],
});

export const { spec: taskSpec } = taskRecord;

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

export function createTasks({ publisher, ...deps }: { db: Db; ids: Ids; clock: Clock; publisher: Publisher }) {
  const tasks = createKeeper(taskRecord, {
    ...deps,
    told: ({ doc }) =>
      publisher.publish({
        tenantId: doc.tenantId,
        topics: [`run:${doc.runId}`],
        type: 'run.task',
        data: toTaskDto(doc),
      }),
  });

  const nextSortOrder = async ({ id, tenantId }: TaskRun) => {
    const last = await tasks.of(tenantId).findOne({ runId: id }, { sort: { sortOrder: -1 } });
    return Math.min((last?.sortOrder ?? 0) + 10, int32Max);
  };

  return {
    of: tasks.of,
    page: tasks.page,
    /** Adds a task, or answers with the one that has this key already. */
    async create(run: TaskRun, draft: TaskDraft): Promise<TaskDoc> {
      const key = draft.key ?? null;
      try {
        return await tasks.insert(run, {
          runId: run.id,
          rootRunId: run.rootRunId,
          projectId: run.projectId,
          projectTaskId: draft.projectTaskId ?? null,
          title: draft.title,
          description: draft.description ?? null,
          status: draft.status ?? 'Todo',
          sortOrder: draft.sortOrder ?? (await nextSortOrder(run)),
          key,
          changeKeys: [],
          version: 1,
        });
      } catch (error) {
        const earlier = isDuplicate(error) && (await tasks.of(run.tenantId).findOne({ runId: run.id, key }));
        if (earlier) return earlier;
        throw error;
      }
    },
    /**
     * Changes a task; a change whose key was seen before is not made again.
     *
     * @param rootRunId - when given, only tasks of this tree are found
     * @throws Fault NOT_FOUND, INVALID_TRANSITION
     */
    change({ tenantId, id, rootRunId, key }: ChangeOf, change: TaskChange): Promise<TaskDoc> {
      const work = (task: TaskDoc) => {
        if (key !== undefined && task.changeKeys.includes(key)) return {};
        if (change.status !== undefined) requireTaskMove(task.status, change.status);
        const changeKeys = key === undefined ? task.changeKeys : [...task.changeKeys, key].slice(-rememberedKeys);
        return { ...change, changeKeys, version: task.version + 1 };
      };
      const within = rootRunId === undefined ? {} : { within: { rootRunId } };
      return tasks.change({ tenantId }, id, work, { expecting: ['version'], ...within });
    },
  };
}
export type Tasks = ReturnType<typeof createTasks>;

interface ChangeOf {
  tenantId: number;
  id: number;
  rootRunId?: number;
  key?: string;
}

export const toTaskDto = (task: TaskDoc): AgentTaskDto =>
  shown(AgentTaskDto, task, { agentRunId: task.runId, projectTaskTitle: null });
