// What is at work for an identity and what awaits it: counts that its summary and its session show.
import { unended } from '../../../runtime/state/run.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type InProjects, visibleTo } from '../../ports/in-project.ts';
import type { PerTenant, Tenanted } from '../../ports/tenanted.ts';
import type { TaskDoc } from '../agent/tasks/tasks.ts';
import { closedStatuses } from '../task-transitions.ts';
import { dueNow } from './hints/due.ts';
import type { HintDoc } from './hints/record.ts';
import type { ChildRun } from './swarm/children.ts';

export interface OpenEscalation extends Tenanted {
  identityId: number | null;
  projectId: number | null;
  closed: boolean;
}

interface Deps {
  runs: PerTenant<ChildRun>;
  escalations: PerTenant<OpenEscalation>;
  tasks: PerTenant<TaskDoc>;
  hints: PerTenant<HintDoc>;
  clock: Clock;
}

export type Awaiting = ReturnType<typeof createAwaiting>;

/** Runs whose tasks are counted: more at once would be no list that anybody works on. */
const mostRuns = 500;

export function createAwaiting({ runs, escalations, tasks, hints, clock }: Deps) {
  const activeRuns = ({ tenantId, identityId }: Whose, by: InProjects) =>
    runs(tenantId).find(
      { identityId, status: { $in: unended }, ...visibleTo<ChildRun>(by) },
      { projection: { _id: 1 }, limit: mostRuns },
    );
  return {
    /** Of projects only those that are open to who asks. */
    async of(whose: Whose, by: InProjects) {
      const { tenantId, identityId } = whose;
      const active = await activeRuns(whose, by).toArray();
      const runIds = active.map((run) => run._id);
      const [openTaskCount, dueHintCount, pendingEscalationCount] = await Promise.all([
        runIds.length === 0
          ? 0
          : tasks(tenantId).countDocuments({ runId: { $in: runIds }, status: { $nin: closedStatuses } }),
        hints(tenantId).countDocuments({ identityId, ...dueNow(clock.now()) }),
        escalations(tenantId).countDocuments({ identityId, closed: false, ...visibleTo<OpenEscalation>(by) }),
      ]);
      return { activeRunCount: active.length, openTaskCount, dueHintCount, pendingEscalationCount };
    },
    /** Questions that are open to the caller, whoever asked. */
    openQuestions: (by: InProjects & { tenantId: number }) =>
      escalations(by.tenantId).countDocuments({ closed: false, ...visibleTo<OpenEscalation>(by) }),
  };
}

interface Whose {
  tenantId: number;
  identityId: number;
}
