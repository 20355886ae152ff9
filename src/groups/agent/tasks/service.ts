// Lists, adds and changes the tasks of runs.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import { defined } from '../../fields.ts';
import type { FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentTasks } from './contract.ts';
import { type Tasks, toTaskDto } from './tasks.ts';

interface Deps {
  tasks: Tasks;
  findRun: FindRun;
  log: WriteLog;
}

export const agentTasksService = implement(agentTasks, ({ tasks, findRun, log }: Deps) => ({
  list: async ({ caller, params, query }) => {
    await findRun(caller, params.runId);
    const filter = { runId: params.runId, ...(query.status === undefined ? {} : { status: query.status }) };
    const sort = sortOf<never>(query.sort ?? 'sortOrder');
    const { items, totalCount } = await pageOf(tasks.of(caller.tenantId), { ...query, filter, sort });
    return toPage(items.map(toTaskDto), totalCount, query);
  },
  create: async ({ caller, params, body }) => {
    const run = await findRun(caller, params.runId);
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
  },
  patch: async ({ caller, params, body }) => {
    const change = defined(body);
    const task = await tasks.change({ tenantId: caller.tenantId, id: params.id }, change);
    await log(task.runId, [
      { type: 'TaskUpdated', title: task.title, payload: { taskId: task._id, ...change, by: caller.name } },
    ]);
    return toTaskDto(task);
  },
}));
