import type { Caller } from '../../contract/caller.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import { mayChangeIn, mayReadIn, visibleTo } from '../../ports/in-project.ts';
import { given } from '../fields.ts';
import { closedStatuses } from '../task-transitions.ts';
import type { All, Kit } from './kit.ts';
import type { ProjectTaskDoc } from './record.ts';

const boardOrder = ['Backlog', 'Todo', 'InProgress', 'Blocked', 'InReview', 'Done', 'Cancelled'] as const;
const candidates = 100;

const rankSort = (sort: string | undefined) => sort?.replace('sortOrder', 'rank');
const filters = {
  minPriority: (least: number): Filter<ProjectTaskDoc> => ({ priority: { $gte: least } }),
  tag: (tags: string) => ({ tags }) as Filter<ProjectTaskDoc>,
  dueBeforeUtc: (before: string) => ({ dueAt: { $ne: null, $lt: new Date(before) } }) as Filter<ProjectTaskDoc>,
  openOnly: (open: boolean) => (open ? { status: { $nin: [...closedStatuses] } } : {}) as Filter<ProjectTaskDoc>,
};

const pagedOf =
  ({ book }: Kit) =>
  async (
    caller: Caller,
    query: { page: number; pageSize: number; sort?: string | undefined },
    within: Filter<ProjectTaskDoc>,
    order?: string,
  ) => {
    const asked = { ...query, sort: rankSort(query.sort ?? order) };
    const { items, totalCount } = await book.tasks.page(caller, asked, { within, filters });
    return toPage(await book.show.all(caller.tenantId, items), totalCount, query);
  };
const runsOf = async ({ runs }: Kit, caller: Caller, id: number, more: object) =>
  runs.list({ tenantId: caller.tenantId, taskId: id, limit: 10, ...more });

export function listHandlers(kit: Kit): Pick<All, 'list' | 'listIn' | 'runs' | 'comments'> {
  const { book, find, engine, access } = kit;
  const paged = pagedOf(kit);
  return {
    list: ({ caller, query }) => paged(caller, query, {}),
    listIn: async ({ caller, params, query }) => {
      await access.require(caller, params.projectId);
      return paged(caller, query, { projectId: params.projectId }, 'sortOrder');
    },
    runs: async ({ caller, params, query }) => {
      const task = await find(caller, params.id);
      const page = { skip: (query.page - 1) * query.pageSize, limit: query.pageSize };
      const order = query.sort
        ? {
            sort: query.sort.endsWith('id') ? ('id' as const) : ('createdAt' as const),
            descending: query.sort.startsWith('-'),
          }
        : {};
      const { items, total } = await runsOf(kit, caller, task._id, {
        ...page,
        ...order,
        ...(query.status ? { status: [query.status] } : {}),
      });
      return toPage(await engine.views(items), total, query);
    },
    comments: async ({ caller, params, query }) => {
      const task = await find(caller, params.id);
      const { items, totalCount } = await book.comments.page(caller, query, { within: { taskId: task._id } });
      return toPage(items.map(book.show.comment), totalCount, query);
    },
  };
}

export function nextHandler(kit: Kit): Pick<All, 'next'> {
  const { book, access, requireWorker, show } = kit;
  return {
    next: async ({ caller, query }) => {
      const identityId = await requireWorker(caller, query.identityId);
      const rights = await access.rightsOfWork({ tenantId: caller.tenantId, identityId, projectId: null });
      const may = ({ projectId }: ProjectTaskDoc) =>
        mayChangeIn(caller, projectId) &&
        (identityId === caller.identityId || mayReadIn({ projects: rights }, projectId));
      const filter = {
        ...visibleTo<ProjectTaskDoc>(caller),
        status: { $in: ['Todo', 'Backlog'] },
        assigneeIdentityId: { $in: [null, identityId] },
        ...given({ projectId: query.projectId, tags: query.tag }),
        ...(query.minPriority === undefined ? {} : { priority: { $gte: query.minPriority } }),
      } as Filter<ProjectTaskDoc>;
      const sort = { priority: -1, dueOrder: 1, _id: 1 } as const;
      for (let skip = 0; ; skip += candidates) {
        const found = await book.tasks.of(caller.tenantId).find(filter, { sort, skip, limit: candidates }).toArray();
        const ids = found.map(({ _id }) => _id);
        const waiting = await book.show.waitsFor(caller.tenantId, ids);
        const task = found.find((one) => may(one) && !waiting.get(one._id));
        if (task) return show(task);
        if (found.length === candidates) continue;
        throw new Fault('NOT_FOUND', 'There is nothing to do: no open task is free and waits for nothing.', {
          hint: 'Ask for less, or see what is there with GET /api/tasks?openOnly=true.',
        });
      }
    },
  };
}

export function getHandler(kit: Kit): Pick<All, 'get'> {
  const { book, find, engine } = kit;
  return {
    get: async ({ caller, params }) => {
      const task = await find(caller, params.id);
      const { tenantId } = caller;
      const of = book.comments.of(tenantId);
      const [below, links, { items }, said] = await Promise.all([
        book.tasks
          .of(tenantId)
          .find({ parentTaskId: task._id }, { sort: { rank: 1 }, limit: 500 })
          .toArray(),
        book.show.links(tenantId, task._id),
        runsOf(kit, caller, task._id, {}),
        of.find({ taskId: task._id }, { sort: { createdAt: -1 }, limit: 20 }).toArray(),
      ]);
      const [shown, ...subtasks] = await book.show.all(tenantId, [task, ...below]);
      return {
        ...(shown as NonNullable<typeof shown>),
        subtasks,
        ...links,
        recentRuns: caller.permissions.has('RunsRead') ? await engine.views(items) : [],
        recentComments: said.map(book.show.comment),
      };
    },
  };
}

export function boardHandler(kit: Kit): Pick<All, 'board'> {
  const { book, access, clock } = kit;
  return {
    board: async ({ caller, params: { projectId }, query: { perColumn, ...which } }) => {
      await access.require(caller, projectId);
      const { tenantId } = caller;
      const wanted = {
        projectId,
        ...given({ assigneeIdentityId: which.assigneeIdentityId, tags: which.tag }),
      } as Filter<ProjectTaskDoc>;
      const of = book.tasks.of(tenantId);
      const sums = await of
        .aggregate<{ _id: { status: string }; n: number; minutes: number }>([
          { $match: { ...wanted } },
          { $group: { _id: { status: '$status' }, n: { $count: {} }, minutes: { $sum: '$estimateMinutes' } } },
        ])
        .toArray();
      const found = await Promise.all(
        boardOrder.map(async (status) => {
          const sum = sums.find(({ _id }) => _id.status === status);
          const some =
            sum && perColumn > 0
              ? await of.find({ ...wanted, status }, { sort: { rank: 1 }, limit: perColumn }).toArray()
              : [];
          return { status, count: sum?.n ?? 0, estimateMinutes: sum?.minutes ?? 0, some };
        }),
      );
      const shown = await book.show.all(
        tenantId,
        found.flatMap(({ some }) => some),
      );
      const columns = found.map(({ some: _, ...column }) => ({
        ...column,
        tasks: shown.filter(({ status }) => status === column.status),
      }));
      const overdue = {
        ...wanted,
        dueAt: { $ne: null, $lt: new Date(clock.now()) },
        status: { $nin: [...closedStatuses] },
      } as Filter<ProjectTaskDoc>;
      return {
        projectId,
        columns,
        totalCount: columns.reduce((all, { count }) => all + count, 0),
        overdueCount: await of.countDocuments(overdue),
      };
    },
  };
}
