import type { Caller } from '../../contract/caller.ts';
import { actorOf } from '../../projects/activity.ts';
import { draftOf, fieldsOf, type TaskFields } from './draft.ts';
import type { All, Kit } from './kit.ts';

const changeOf = (kit: Kit) => {
  const { book, findToChange, show, requireIdentity, requireParent } = kit;
  return async (caller: Caller, id: number, body: TaskFields) => {
    const old = await findToChange(caller, id);
    const { projectId, tenantId } = old;
    await requireIdentity(caller, body.assigneeIdentityId);
    if (body.parentTaskId != null)
      await requireParent(
        caller,
        body.parentTaskId,
        projectId,
        (await book.treeOf(tenantId, old)).map(({ _id }) => _id),
      );
    const moved =
      body.status !== undefined && body.status !== old.status
        ? await book.moveTo(caller, old, body.status, { actor: actorOf(caller) })
        : old;
    const fields = fieldsOf(body);
    const changed = await book.placed(async () => {
      const position = body.sortOrder;
      const place = position === undefined ? {} : { rank: await book.rankAt(tenantId, projectId, { id, position }) };
      return Object.keys({ ...fields, ...place }).length === 0
        ? moved
        : book.tasks.change(caller, id, { ...fields, ...place });
    });
    return show(changed);
  };
};

export function createHandler(kit: Kit): Pick<All, 'create'> {
  const { book, show, requireTaking, requireIdentity, requireParent } = kit;
  return {
    create: async ({ caller, params: { projectId }, body }) => {
      await requireTaking(caller, projectId);
      await requireIdentity(caller, body.assigneeIdentityId);
      await requireParent(caller, body.parentTaskId, projectId);
      const on = [...new Set(body.dependsOnTaskIds ?? [])];
      const waitedFor = await Promise.all(on.map((one) => book.tasks.get(caller, one)));
      const draft = draftOf(body, projectId, caller.identityId);
      const place = body.sortOrder == null ? {} : { position: body.sortOrder };
      const made = await book.placed(async () =>
        book.tasks.insert(caller, { ...draft, rank: await book.rankAt(caller.tenantId, projectId, place) }),
      );
      for (const other of waitedFor)
        await book.dependencies.insert(caller, {
          projectId,
          taskId: made._id,
          dependsOnTaskId: other._id,
          kind: 'Blocks',
        });
      await book.note(made, 'created', actorOf(caller));
      const isWaiting = made.status === 'Todo' && (await book.show.waitsFor(caller.tenantId, [made._id])).get(made._id);
      const now = isWaiting ? await book.moveTo(caller, made, 'Blocked', { actor: actorOf(caller) }) : made;
      return show(now);
    },
  };
}

export function changeHandlers(kit: Kit): Pick<All, 'replace' | 'patch' | 'status' | 'remove'> {
  const { book, findToChange, show } = kit;
  const change = changeOf(kit);
  return {
    replace: ({ caller, params, body }) => {
      const empty = {
        description: null,
        parentTaskId: null,
        assigneeIdentityId: null,
        dueAtUtc: null,
        estimateMinutes: null,
      };
      return change(caller, params.id, { ...empty, acceptanceCriteria: null, ...body });
    },
    patch: ({ caller, params, body }) => change(caller, params.id, body),
    status: async ({ caller, params, body }) => {
      const task = await findToChange(caller, params.id);
      const how = { actor: actorOf(caller), reason: body.reason ?? null, force: body.force ?? false };
      return show(await book.moveTo(caller, task, body.status, how));
    },
    remove: async ({ caller, params }) => {
      const task = await findToChange(caller, params.id);
      const all = await book.treeOf(caller.tenantId, task);
      for (const one of all.reverse()) {
        await book.tasks.remove(caller, one._id);
        await book.comments.of(caller.tenantId).deleteMany({ taskId: one._id });
        const waiting = await book.dependencies.of(caller.tenantId).find({ dependsOnTaskId: one._id }).toArray();
        await book.dependencies
          .of(caller.tenantId)
          .deleteMany({ $or: [{ taskId: one._id }, { dependsOnTaskId: one._id }] });
        for (const { taskId } of waiting) await book.unblock(caller.tenantId, taskId);
      }
      await book.note(task, 'deleted', actorOf(caller));
      return null;
    },
  };
}

export function moveHandler(kit: Kit): Pick<All, 'move'> {
  const { book, findToChange, show, requireTaking, requireParent } = kit;
  return {
    move: async ({ caller, params, body }) => {
      const old = await findToChange(caller, params.id);
      const { tenantId } = old;
      const projectId = body.projectId ?? old.projectId;
      const tree = await book.treeOf(tenantId, old);
      if (projectId !== old.projectId) await requireTaking(caller, projectId);
      await requireParent(
        caller,
        body.parentTaskId,
        projectId,
        tree.map(({ _id }) => _id),
      );
      const elsewhere = projectId !== old.projectId;
      const parent =
        body.parentTaskId !== undefined ? { parentTaskId: body.parentTaskId } : elsewhere ? { parentTaskId: null } : {};
      const named = body.afterTaskId !== undefined || body.sortOrder != null || elsewhere;
      const place = {
        id: old._id,
        ...(body.afterTaskId !== undefined && { after: body.afterTaskId }),
        ...(body.sortOrder != null && { position: body.sortOrder }),
      };
      const moved = await book.placed(async () => {
        const rank = named ? { rank: await book.rankAt(tenantId, projectId, place) } : {};
        return book.tasks.change(caller, old._id, { ...parent, projectId, ...rank });
      });
      if (elsewhere) {
        for (const one of tree.slice(1))
          await book.placed(async () =>
            book.tasks.change(caller, one._id, { projectId, rank: await book.rankAt(tenantId, projectId, {}) }),
          );
        const ids = tree.map(({ _id }) => _id);
        await book.comments.of(tenantId).updateMany({ taskId: { $in: ids } }, { $set: { projectId } });
        await book.dependencies.of(tenantId).updateMany({ taskId: { $in: ids } }, { $set: { projectId } });
        await book.note(moved, 'moved here', actorOf(caller));
      }
      return show(moved);
    },
  };
}
