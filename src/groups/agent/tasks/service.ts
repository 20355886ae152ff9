// Lists, adds and changes the tasks of runs.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { requireChangeIn } from '../../../ports/in-project.ts';
import { defined } from '../../fields.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentTasks } from './contract.ts';
import { type Tasks, toTaskDto } from './tasks.ts';

interface Deps {
  tasks: Tasks;
  findRun: FindRun;
  log: WriteLog;
}

export const agentTasksService = implement(agentTasks, ({ tasks, findRun, log }: Deps) => ({
  list: aboutRun(findRun)(async ({ caller, run, query }) => {
    const { items, totalCount } = await tasks.page(caller, query, { within: { runId: run.id } });
    return toPage(items.map(toTaskDto), totalCount, query);
  }),
  create: aboutRun(findRun)(async ({ caller, run, body }) => {
    const { status, sortOrder, ...rest } = body;
    const task = await tasks.create(run, {
      title: rest.title,
      description: rest.description ?? null,
      projectTaskId: rest.projectTaskId ?? null,
      ...(status == null ? {} : { status }),
      ...(sortOrder == null ? {} : { sortOrder }),
    });
    await log(run.id, [{ type: 'TaskCreated', title: task.title, payload: { taskId: task._id, by: caller.name } }]);
    return toTaskDto(task);
  }),
  patch: async ({ caller, params, body }) => {
    const change = defined(body);
    const found = await tasks.of(caller.tenantId).findOne({ _id: params.id });
    if (found) requireChangeIn(caller, found.projectId);
    const task = await tasks.change({ tenantId: caller.tenantId, id: params.id }, change);
    await log(task.runId, [
      { type: 'TaskUpdated', title: task.title, payload: { taskId: task._id, ...change, by: caller.name } },
    ]);
    return toTaskDto(task);
  },
}));
