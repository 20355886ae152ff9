// What the handlers of tasks share: finding a task for who asks, and checking what a request names.
import type { Engine } from '../../../runtime/engine.ts';
import type { RunStore } from '../../../runtime/ports.ts';
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { namedIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { requireChangeIn } from '../../ports/in-project.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import { requireUnarchived } from '../../projects/access.ts';
import type { FindRoleDefaults } from '../agent/runs/role-defaults.ts';
import type { FindWorkRole } from '../agent/runs/staffing.ts';
import type { Inbox } from '../messages/inbox.ts';
import { notInProject, type TaskBook } from './book.ts';
import type { tasks } from './contract.ts';
import { createMentions } from './mentions.ts';
import type { ProjectTaskDoc } from './record.ts';

export interface TasksDeps {
  book: TaskBook;
  access: ProjectAccess;
  acting: Acting;
  identities: PerTenant<IdentityDoc>;
  inbox: Pick<Inbox, 'send'>;
  engine: Engine;
  runs: RunStore['runs'];
  roleDefaults: FindRoleDefaults;
  workRole: FindWorkRole;
  /** Throws a Fault when no run can work in the workspace. */
  requireWorkspace: (caller: Caller, id: number) => Promise<void>;
  clock: Clock;
}

export type All = Handlers<typeof tasks>;
export type Kit = ReturnType<typeof kitOf>;

export function kitOf(deps: TasksDeps) {
  const { book, access, identities } = deps;
  const mentions = createMentions(deps);
  return {
    ...deps,
    find: (caller: Caller, id: number) => book.tasks.get(caller, id),
    findToChange: async (caller: Caller, id: number) => {
      const task = await book.tasks.get(caller, id);
      requireChangeIn(caller, task.projectId);
      return task;
    },
    show: async (task: ProjectTaskDoc) => {
      const [shown] = await book.show.all(task.tenantId, [task]);
      return shown as NonNullable<typeof shown>;
    },
    /** A project that takes tasks. @throws Fault NOT_FOUND for numbers without a project; CONFLICT for archived ones */
    requireTaking: async (caller: Caller, projectId: number) => {
      const { project } = await access.require(caller, projectId, 'Contributor');
      requireUnarchived(project);
    },
    requireIdentity: async (caller: Caller, id: number | null | undefined) => {
      if (id != null) await namedIdentity(identities, caller, id);
    },
    /** The identity that somebody takes work for: their own, or one that they may act as. */
    requireWorker: async (caller: Caller, id: number | null | undefined): Promise<number> => {
      const wanted = id ?? caller.identityId;
      if (wanted === null)
        throw new Fault('VALIDATION_FAILED', 'You have no identity that could take a task.', {
          hint: 'Name one that you may act as in identityId.',
        });
      if (wanted !== caller.identityId) await deps.acting.require(caller, wanted);
      return wanted;
    },
    /** A parent in the same project that is not below the task itself. */
    requireParent: async (
      caller: Caller,
      id: number | null | undefined,
      projectId: number,
      below: readonly number[] = [],
    ) => {
      if (id == null) return;
      if (!(await book.tasks.find(caller, id, { projectId }))) throw notInProject(id, projectId);
      if (below.includes(id))
        throw new Fault('CYCLE_DETECTED', 'A task cannot be below itself.', { hint: 'Choose another parent.' });
    },
    mentions,
    tell: mentions.tell,
  };
}
