import { Fault } from '../../kernel/fault.ts';
import { isAtLeast } from '../../ports/project-roles.ts';
import { actorOf } from '../../projects/activity.ts';
import { isClosed } from '../task-transitions.ts';
import type { All, Kit } from './kit.ts';
import { getHandler } from './reading.ts';

export function talkers({ book, find, findToChange, access, runs, mentions }: Kit): Pick<All, 'comment' | 'uncomment'> {
  return {
    comment: async ({ caller, params, body }) => {
      const task = await findToChange(caller, params.id);
      const runId = body.runId ?? null;
      if (runId !== null && (await runs.get(runId))?.taskId !== task._id)
        throw new Fault('NOT_FOUND', `No run ${runId} works on task ${task._id}.`, {
          hint: `List its runs with GET /api/tasks/${task._id}/runs.`,
        });
      const mentionIdentityIds = await mentions.mentioned(
        caller,
        [...new Set(body.mentionIdentityIds ?? [])],
        body.content,
      );
      const { actorKind: kind } = actorOf(caller);
      const author = {
        kind,
        userId: kind === 'User' ? caller.userId : null,
        identityId: caller.identityId,
        name: caller.name,
      };
      const comment = await book.addComment(caller, task, { author, content: body.content, mentionIdentityIds, runId });
      await mentions.tellOf(caller, task, comment);
      return book.show.comment(comment);
    },
    uncomment: async ({ caller, params }) => {
      const task = await find(caller, params.id);
      const comment = await book.comments.get(caller, params.commentId, { taskId: task._id });
      const isOwn =
        comment.authorUserId === null
          ? comment.authorIdentityId === caller.identityId
          : comment.authorUserId === caller.userId;
      const { role } = await access.require(caller, task.projectId);
      if (!isOwn && !isAtLeast(role, 'Maintainer'))
        throw new Fault('OWNERSHIP_REQUIRED', 'This is a comment of somebody else.', {
          hint: 'Ask its author or who maintains the project.',
        });
      await book.comments.remove(caller, comment._id);
      return null;
    },
  };
}

export function linkers(kit: Kit): Pick<All, 'depend' | 'undepend'> {
  const { book, findToChange, find } = kit;
  const { get } = getHandler(kit);
  return {
    depend: async (input) => {
      const { caller, params, body } = input;
      const task = await findToChange(caller, params.id);
      const other = await find(caller, body.dependsOnTaskId);
      const kind = body.kind ?? 'Blocks';
      const cycle = new Fault('CYCLE_DETECTED', `Task ${other._id} waits for task ${task._id} already.`, {
        hint: 'Remove that dependency first, or note it as RelatesTo.',
      });
      if (other._id === task._id) throw cycle;
      const there = await book.dependencies
        .of(caller.tenantId)
        .findOne({ taskId: task._id, dependsOnTaskId: other._id });
      const answer = () => get({ ...input, params: { id: task._id } } as unknown as Parameters<typeof get>[0]);
      if (there?.kind === kind) return answer();
      if (there)
        throw new Fault('DUPLICATE', 'They depend on each other already.', {
          hint: 'Remove the dependency to change its kind.',
        });
      const { projectId } = task;
      const made = await book.dependencies.insert(caller, {
        projectId,
        taskId: task._id,
        dependsOnTaskId: other._id,
        kind,
      });
      // Written first, then looked at: of two that would close a cycle together, at least one sees the other.
      if (kind === 'Blocks' && (await book.reaches(caller.tenantId, other._id, task._id))) {
        await book.dependencies.remove(caller, made._id);
        throw cycle;
      }
      const isWaiting = kind === 'Blocks' && task.status === 'Todo' && !isClosed(other);
      const reason = `It waits for task ${other._id}.`;
      if (isWaiting) await book.moveTo(caller, task, 'Blocked', { actor: actorOf(caller), reason });
      return answer();
    },
    undepend: async ({ caller, params }) => {
      const task = await findToChange(caller, params.id);
      const of = book.dependencies.of(caller.tenantId);
      const there = await of.findOne({ taskId: task._id, dependsOnTaskId: params.dependsOnTaskId });
      if (!there)
        throw new Fault('NOT_FOUND', `Task ${task._id} does not depend on task ${params.dependsOnTaskId}.`, {
          hint: `See its dependencies with GET /api/tasks/${task._id}.`,
        });
      await book.dependencies.remove(caller, there._id);
      await book.unblock(caller.tenantId, task._id);
      return null;
    },
  };
}
