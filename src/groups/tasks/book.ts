// The documents of tasks with what must hold of them: their order, their leases, and what waits for what.
import type { TaskStatus } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { orderKeyBetween } from '../../kernel/order.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { type By, type Change, createKeeper } from '../../ports/keeper.ts';
import { polled } from '../../ports/polled.ts';
import type { Publisher } from '../../ports/stream.ts';
import { type Actor, activityRecord, shortTitle, theServer } from '../../projects/activity.ts';
import { isClosed, requireTaskMove } from '../task-transitions.ts';
import { type CommentDoc, commentRecord, dependencyRecord, type ProjectTaskDoc, taskRecord } from './record.ts';
import { createShowTasks } from './show.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
}

export const never = new Date('9999-12-31T00:00:00Z');
/** Tasks that a search for a cycle visits at most. */
const mostVisited = 10_000;
/** Tries for a place that others take at the same time. */
const mostTries = 200;

export type TaskBook = ReturnType<typeof createTaskBook>;
type Base = ReturnType<typeof baseOf>;
type Waiting = ReturnType<typeof waitingOf>;

export function createTaskBook(deps: Deps) {
  const base = baseOf(deps);
  const waiting = waitingOf(base);
  const { tasks, dependencies, comments, show, note } = base;
  return {
    tasks,
    dependencies,
    comments,
    show,
    note,
    ...orderOf(base),
    ...waiting,
    ...movesOf(base, waiting),
    ...claimsOf(base, waiting),
    ...expiryOf(base),
    ...wordsOf(base),
  };
}

function baseOf({ publisher, ...deps }: Deps) {
  const { db, clock } = deps;
  const show = createShowTasks({ db });
  const told = async ({ how, doc }: Change<ProjectTaskDoc>) => {
    const { tenantId, projectId, _id: id } = doc;
    const topics = [`project:${projectId}`];
    if (how === 'removed') {
      const data = { kind: 'Task' as const, id, atUtc: new Date(clock.now()).toISOString() };
      return publisher.publish({ tenantId, topics, type: 'task.deleted', data });
    }
    const [data] = await show.all(tenantId, [doc]);
    if (!data) return;
    await publisher.publish({ tenantId, topics, type: how === 'created' ? 'task.created' : 'task.updated', data });
  };
  const tasks = createKeeper(taskRecord, { ...deps, told });
  const activities = createKeeper(activityRecord, deps);
  const dependencies = createKeeper(dependencyRecord, deps);
  const comments = createKeeper(commentRecord, deps);

  const note = (task: ProjectTaskDoc, action: string, actor: Actor, detail: string | null = null) =>
    activities.insert(
      { tenantId: task.tenantId },
      {
        projectId: task.projectId,
        kind: 'Task',
        action,
        targetId: task._id,
        title: shortTitle(task.title),
        detail,
        ...actor,
      },
    );
  return { db, clock, publisher, show, told, tasks, dependencies, comments, note };
}

/** The one order of a project's tasks. */
function orderOf({ tasks }: Base) {
  type Ranked = Pick<ProjectTaskDoc, 'rank'>;
  /** Some of the keys of a project in their order; what is read does not grow with the tasks. */
  const some = (tenantId: number, where: Filter<ProjectTaskDoc>, limit: number, skip = 0): Promise<Ranked[]> =>
    tasks
      .of(tenantId)
      .find(where, { sort: { rank: 1 }, projection: { rank: 1 }, skip, limit })
      .toArray();

  /** The key of a place: after a task, at a position, or the end. */
  const rankAt = async (tenantId: number, projectId: number, { id = 0, after, position }: Place): Promise<string> => {
    if (after === undefined && position === undefined) {
      const last = await tasks
        .of(tenantId)
        .findOne({ projectId }, { sort: { rank: -1 }, projection: { rank: 1 } as never });
      return orderKeyBetween(last?.rank ?? null, null);
    }
    const others = { projectId, _id: { $ne: id } } as Filter<ProjectTaskDoc>;
    if (after === undefined && position !== undefined && position > 0) {
      const around = await some(tenantId, others, 2, position - 1);
      // Behind the last there is but the end.
      if (around.length === 0) return rankAt(tenantId, projectId, {});
      return orderKeyBetween(around[0]?.rank ?? null, around[1]?.rank ?? null);
    }
    const before = after == null ? null : await tasks.of(tenantId).findOne({ projectId, _id: after });
    if (after != null && (!before || after === id)) throw notInProject(after, projectId);
    const behind = before ? ({ ...others, rank: { $gt: before.rank } } as Filter<ProjectTaskDoc>) : others;
    const [next] = await some(tenantId, behind, 1);
    return orderKeyBetween(before?.rank ?? null, next?.rank ?? null);
  };

  /** Repeats what takes a place that somebody else has taken meanwhile. */
  const placed = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isDuplicate(error) || tries >= mostTries) throw error;
      }
    }
  };
  return { rankAt, placed };
}

/** What waits for what. */
function waitingOf({ tasks, dependencies, show, note }: Base) {
  /** Refuses to let a task wait for what waits for it. @throws Fault CYCLE_DETECTED */
  const reaches = async (tenantId: number, from: number, to: number): Promise<boolean> => {
    const seen = new Set([from]);
    for (let edge = [from]; edge.length > 0 && seen.size < mostVisited; ) {
      const found = await dependencies
        .of(tenantId)
        .find({ taskId: { $in: edge }, kind: 'Blocks' })
        .toArray();
      edge = [];
      for (const { dependsOnTaskId } of found) {
        if (dependsOnTaskId === to) return true;
        if (seen.has(dependsOnTaskId)) continue;
        seen.add(dependsOnTaskId);
        edge.push(dependsOnTaskId);
      }
    }
    return false;
  };

  /** @throws Fault CONFLICT for a task that waits for others */
  const requireReady = async ({ tenantId, _id }: ProjectTaskDoc, hint: string): Promise<void> => {
    const open = (await show.waitsFor(tenantId, [_id])).get(_id);
    if (open) throw new Fault('CONFLICT', `Task ${_id} waits for ${open} other${open === 1 ? '' : 's'}.`, { hint });
  };

  /** Frees the tasks that waited for one, where it was the last. */
  const release = async ({ tenantId, _id }: ProjectTaskDoc): Promise<void> => {
    const waiting = await dependencies.of(tenantId).find({ dependsOnTaskId: _id, kind: 'Blocks' }).toArray();
    for (const { taskId } of waiting) await unblock(tenantId, taskId);
  };

  const unblock = async (tenantId: number, taskId: number): Promise<void> => {
    const task = await tasks.find({ tenantId }, taskId);
    if (task?.status !== 'Blocked' || (await show.waitsFor(tenantId, [taskId])).get(taskId)) return;
    const changed = await tasks.change(
      { tenantId },
      taskId,
      (old) => (old.status === 'Blocked' ? { status: 'Todo', statusReason: null } : {}),
      { expecting: ['status'] },
    );
    if (changed.status === 'Todo') await note(changed, 'moved to Todo', theServer, 'It waits for nothing any more.');
  };
  return { reaches, requireReady, release, unblock };
}

function movesOf({ tasks, note, clock }: Base, { requireReady, release }: Waiting) {
  return {
    /**
     * Moves a task to another status.
     *
     * @throws Fault INVALID_TRANSITION; CONFLICT for work on what waits for others, without `force`
     */
    async moveTo(by: By, task: ProjectTaskDoc, to: TaskStatus, how: MoveOptions): Promise<ProjectTaskDoc> {
      const starts = to === 'InProgress' || to === 'Done';
      if (starts && !how.force && task.status !== to)
        await requireReady(task, `See its dependencies with GET /api/tasks/${task._id}, or move it with force.`);
      const changed = await tasks.change(
        by,
        task._id,
        (old) => {
          requireTaskMove(old.status, to);
          return old.status === to && !how.reason
            ? {}
            : { ...statusFields(old, to, new Date(clock.now())), statusReason: how.reason ?? null, ...how.fields };
        },
        { expecting: ['status'] },
      );
      if (changed.status !== task.status) await note(changed, `moved to ${to}`, how.actor, how.reason ?? null);
      if (isClosed(changed)) await release(changed);
      return changed;
    },
  };
}

function claimsOf({ tasks, note, clock }: Base, { requireReady }: Waiting) {
  return {
    /**
     * Takes a task that nobody has, for a time. Exactly one of many who ask at once gets it.
     *
     * @throws Fault ALREADY_CLAIMED; INVALID_TRANSITION; CONFLICT for a task that waits for others
     */
    async claim(by: By, task: ProjectTaskDoc, identityId: number, leaseMs: number, actor: Actor) {
      await requireReady(task, 'Take another one with GET /api/tasks/next.');
      const hasRun = (one: ProjectTaskDoc) =>
        one.status === 'InProgress' && one.assigneeIdentityId === identityId && one.runningRunId > 0;
      // A request that is repeated after a run has begun: it is theirs.
      if (hasRun(task)) return task;
      const now = new Date(clock.now());
      const claimed = await tasks.change(
        by,
        task._id,
        (old) => {
          if (hasRun(old)) return {};
          requireFree(old, identityId, now);
          return {
            status: 'InProgress',
            statusReason: null,
            assigneeIdentityId: identityId,
            startedAt: old.startedAt ?? now,
            claimExpiresAt: new Date(now.getTime() + leaseMs),
          };
        },
        { expecting: ['status', 'assigneeIdentityId', 'claimExpiresAt', 'runningRunId'] },
      );
      await note(claimed, 'claimed', actor);
      return claimed;
    },
  };
}

/** @throws Fault ALREADY_CLAIMED; INVALID_TRANSITION */
function requireFree(task: ProjectTaskDoc, identityId: number, now: Date): void {
  const { _id: id, status, assigneeIdentityId, claimExpiresAt } = task;
  const isTheirs = assigneeIdentityId === identityId;
  const isOpen = status === 'Backlog' || status === 'Todo';
  if (isOpen && (assigneeIdentityId === null || isTheirs)) return;
  if (status === 'InProgress' && (isTheirs || (claimExpiresAt !== null && claimExpiresAt <= now))) return;
  if (assigneeIdentityId !== null && !isTheirs)
    throw new Fault('ALREADY_CLAIMED', `Task ${id} is somebody else's.`, {
      hint: 'Take another one with GET /api/tasks/next.',
    });
  throw new Fault('INVALID_TRANSITION', `A task that is ${status} cannot be claimed.`, {
    hint: 'Claim one that is Backlog or Todo; a finished one is reopened with POST /api/tasks/{id}/status.',
  });
}

function expiryOf({ db, tasks, told, note, clock }: Base) {
  const all = db.collection(taskRecord.spec);
  const findOver = polled(all, (over: Filter<ProjectTaskDoc>) => all.find(over, { limit: 500 }).toArray(), {
    claimExpiresAt: { $gt: new Date(0) },
  });
  return {
    /** Frees tasks whose leases have ended. */
    async expireClaims(): Promise<void> {
      const now = new Date(clock.now());
      const over = { claimExpiresAt: { $gt: new Date(0), $lte: now } };
      for (const { _id, tenantId } of await findOver(over)) {
        const filter = { _id, status: 'InProgress' as const, ...over };
        const $set = {
          status: 'Todo' as const,
          assigneeIdentityId: null,
          claimExpiresAt: null,
          statusReason: 'The claim ended.',
          updatedAt: now,
        };
        const freed = await tasks.of(tenantId).findOneAndUpdate(filter, { $set }, { returnDocument: 'after' });
        if (!freed) {
          await tasks
            .of(tenantId)
            .updateOne({ _id, status: { $ne: 'InProgress' }, ...over }, { $set: { claimExpiresAt: null } });
          continue;
        }
        await told({ how: 'changed', doc: freed, before: null, by: { tenantId } });
        await note(freed, 'moved to Todo', theServer, 'The claim ended.');
      }
    },
  };
}

function wordsOf({ tasks, comments, show, note, publisher }: Base) {
  return {
    async addComment(by: By, task: ProjectTaskDoc, said: Said): Promise<CommentDoc> {
      const { author, content, mentionIdentityIds, runId } = said;
      const { tenantId, projectId, _id: taskId } = task;
      const comment = await comments.insert(by, {
        projectId,
        taskId,
        content,
        mentionIdentityIds: [...mentionIdentityIds],
        runId,
        authorKind: author.kind,
        authorUserId: author.userId,
        authorIdentityId: author.identityId,
        authorName: author.name,
      });
      const topics = [`project:${projectId}`];
      await publisher.publish({ tenantId, topics, type: 'task.comment', data: show.comment(comment) });
      await note(
        task,
        'commented',
        { actorKind: author.kind, actorId: author.userId ?? author.identityId, actorName: author.name },
        shortTitle(content),
      );
      return comment;
    },
    /** A task with all that are below it, the deepest last. */
    async treeOf(tenantId: number, task: ProjectTaskDoc): Promise<ProjectTaskDoc[]> {
      const all = [task];
      for (let edge = [task]; edge.length > 0; ) {
        edge = await tasks
          .of(tenantId)
          .find({ parentTaskId: { $in: edge.map(({ _id }) => _id) } })
          .toArray();
        all.push(...edge);
      }
      return all;
    },
  };
}

interface Said {
  author: { kind: Actor['actorKind']; userId: number | null; identityId: number | null; name: string };
  content: string;
  mentionIdentityIds: readonly number[];
  runId: number | null;
}

interface Place {
  id?: number;
  /** The task that it comes after; null for the beginning. */
  after?: number | null;
  position?: number;
}

export interface MoveOptions {
  actor: Actor;
  reason?: string | null;
  force?: boolean;
  fields?: Partial<ProjectTaskDoc>;
}

/** What goes with a status: who begins has a start, who ends an end, and a claim lasts only while work is under way. */
export const statusFields = (old: ProjectTaskDoc, status: TaskStatus, now: Date): Partial<ProjectTaskDoc> => ({
  status,
  ...(status === 'InProgress' && old.startedAt === null ? { startedAt: now } : {}),
  completedAt: isClosed({ status }) ? (old.completedAt ?? now) : null,
  ...(status === 'InProgress' ? {} : { claimExpiresAt: null, runningRunId: 0 }),
});

export const notInProject = (id: number, projectId: number) =>
  new Fault('NOT_FOUND', `There is no task ${id} in project ${projectId}.`, {
    hint: `List them with GET /api/projects/${projectId}/tasks.`,
  });
