import { Fault } from '../../kernel/fault.ts';
import { actorOf } from '../../projects/activity.ts';
import { given } from '../fields.ts';
import type { All, Kit } from './kit.ts';
import type { ProjectTaskDoc } from './record.ts';

const defaultLeaseSeconds = 900;

export function takeHandlers(kit: Kit): Pick<All, 'assign' | 'claim'> {
  const { book, findToChange, show, requireIdentity, requireWorker, tell } = kit;
  return {
    assign: async ({ caller, params, body }) => {
      const task = await findToChange(caller, params.id);
      const identityId = body.identityId ?? null;
      await requireIdentity(caller, identityId);
      const changed = await book.tasks.change(caller, task._id, {
        assigneeIdentityId: identityId,
        claimExpiresAt: null,
      });
      await book.note(changed, identityId === null ? 'unassigned' : 'assigned', actorOf(caller), body.note ?? null);
      if (identityId !== null && identityId !== task.assigneeIdentityId) {
        const words = `${caller.name} gave you the task "${task.title}" (#${task._id}).${body.note ? `\n\n${body.note}` : ''}`;
        await tell(
          caller,
          task,
          [identityId],
          words,
          `task-assigned:${task._id}:${identityId}:${changed.updatedAt.getTime()}`,
        );
      }
      return show(changed);
    },
    claim: async ({ caller, params, body }) => {
      const task = await findToChange(caller, params.id);
      const identityId = await requireWorker(caller, body?.identityId);
      const leaseMs = 1000 * (body?.leaseSeconds ?? defaultLeaseSeconds);
      return show(await book.claim(caller, task, identityId, leaseMs, actorOf(caller)));
    },
  };
}

export function runHandler(kit: Kit): Pick<All, 'run'> {
  const { book, findToChange, requireTaking, requireWorker, engine, acting } = kit;
  return {
    run: async ({ caller, params, body, request }) => {
      const task = await findToChange(caller, params.id);
      await requireTaking(caller, task.projectId);
      const { identityId, role, roleDefinitionId, goal, autoStart, ...limits } = body ?? {};
      const who = await acting.require(caller, await requireWorker(caller, identityId ?? task.assigneeIdentityId));
      if (limits.workspaceId != null) await kit.requireWorkspace(caller, limits.workspaceId);
      const key = request.header('idempotency-key');
      const onceKey = key === undefined ? null : `${caller.tenantId}:${caller.identityId ?? caller.userId}:task:${key}`;
      const earlier = onceKey && (await runsOf(kit.runs, task)).find((one) => one.idempotencyKey === onceKey);
      if (earlier) return engine.view(earlier);
      if (task.runningRunId > 0)
        throw new Fault('ALREADY_CLAIMED', `Run ${task.runningRunId} works on task ${task._id}.`, {
          hint: 'Wait for its end, or cancel it first.',
        });
      const work =
        role == null && roleDefinitionId == null ? await kit.workRole(caller.tenantId, who.identityId) : null;
      const moved = await book.moveTo(caller, task, 'InProgress', { actor: actorOf(caller) });
      const run = await engine.create({
        role: role ?? 'worker',
        ...(await kit.roleDefaults(
          caller.tenantId,
          { id: roleDefinitionId ?? work, name: role ?? 'worker' },
          role == null,
        )),
        ...given(limits),
        ...who,
        tenantId: caller.tenantId,
        projectId: task.projectId,
        taskId: task._id,
        taskTitle: task.title,
        goal: goal ?? goalOf(task),
        startedByUserId: caller.userId,
        treeDeadlineAt: null,
        autoStart: autoStart ?? true,
        idempotencyKey: onceKey,
      });
      const assignee = moved.assigneeIdentityId ?? who.identityId;
      await book.tasks.change(caller, task._id, {
        runningRunId: run.id,
        assigneeIdentityId: assignee,
        claimExpiresAt: null,
      });
      return engine.view(run);
    },
  };
}

/** The newest runs of a task, among which a repeated request finds its own. */
const runsOf = async (runs: Kit['runs'], { tenantId, _id }: ProjectTaskDoc) =>
  (await runs.list({ tenantId, taskId: _id, limit: 100, counted: false })).items;

/** What a run is to do, from a task's own words. */
const goalOf = ({ _id, title, description, acceptanceCriteria }: ProjectTaskDoc) =>
  [`Task #${_id}: ${title}`, description, acceptanceCriteria && `Done when: ${acceptanceCriteria}`]
    .filter(Boolean)
    .join('\n\n');
