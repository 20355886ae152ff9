// Starts maintenance jobs, and shows the mode, the schedules and the last jobs.
import type { Caller } from '../../contract/caller.ts';
import type { MaintenanceTask } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { ServerState } from '../../ports/server-state.ts';
import { maintenance } from './contract.ts';
import type { MaintenanceDoc } from './record.ts';
import { holdOf, type Runner, toMaintenanceDto } from './runner.ts';
import type { Schedules } from './schedules.ts';
import type { Tasks } from './tasks.ts';

export interface MaintenanceDeps {
  clock: Clock;
  state: Pick<ServerState, 'get'>;
  jobs: Keeper<MaintenanceDoc>;
  runner: Pick<Runner, 'ended' | 'tell'>;
  schedules: Pick<Schedules, 'show'>;
  tasks: Tasks;
  /** The first tenant, whose server this is. */
  operatorTenantId: number;
}

/** How long a caller waits for a job that may be short; the others it follows. In ms. */
const patienceMs = 5000;
const shownRuns = 50;

interface Asked {
  task: MaintenanceTask;
  message?: string | null | undefined;
  dryRun?: boolean | null | undefined;
  olderThanDays?: number | null | undefined;
  identityId?: number | null | undefined;
}

/** A job that has not begun. */
export const newJob = (tasks: Tasks, tenantId: number, asked: Asked) => {
  const alone = holdOf(asked.task, tasks[asked.task].scope, tenantId);
  return {
    task: asked.task,
    state: 'Queued' as const,
    dryRun: asked.dryRun ?? false,
    message: asked.message ?? null,
    olderThanDays: asked.olderThanDays ?? null,
    identityId: asked.identityId ?? null,
    ...{ progressPercent: 0, processed: 0, total: null, resultJson: null, errorMessage: null, requestedByName: null },
    ...{ startedAt: null, completedAt: null, owner: null, leaseUntil: null, attempts: 0, isScheduled: false },
    ...{ holds: alone, alone },
  };
};

export const maintenanceService = implement(maintenance, (deps: MaintenanceDeps) => {
  const { state, jobs, runner, schedules, tasks } = deps;
  const requireRight = (caller: Caller, { task, ...asked }: Asked) => {
    const { scope, takes } = tasks[task];
    if (scope === 'server' && caller.tenantId !== deps.operatorTenantId)
      throw new Fault('FORBIDDEN', `${task} is about the whole server, which is its operator’s.`, {
        hint: 'Ask with a key of the first tenant.',
      });
    for (const [name, value] of Object.entries(asked))
      if (value != null && value !== false && !(takes as readonly string[]).includes(name))
        throw new Fault('VALIDATION_FAILED', `${task} takes no ${name}.`, {
          hint: takes.length > 0 ? `It takes ${takes.join(', ')}.` : 'It takes nothing but its name.',
        });
  };
  return {
    start: async ({ caller, body }) => {
      requireRight(caller, body);
      const job = { ...newJob(tasks, caller.tenantId, body), requestedByName: caller.name };
      const made = await jobs.insert(caller, job).catch(async (error: unknown) => {
        if (!isDuplicate(error)) throw error;
        throw new Fault('CONFLICT', `${body.task} is under way already.`, {
          hint: 'Follow it with GET /api/system/maintenance, or on the topic "system".',
        });
      });
      await runner.tell(made);
      return toMaintenanceDto((await runner.ended(made._id, patienceMs)) ?? made);
    },
    status: async ({ caller }) => {
      const mode = state.get('maintenance');
      const runs = await jobs
        .of(caller.tenantId)
        .find({}, { sort: { _id: -1 }, limit: shownRuns })
        .toArray();
      return {
        maintenanceMode: mode?.on ?? false,
        message: mode?.on ? mode.message : null,
        sinceUtc: mode?.on ? mode.sinceUtc : null,
        runs: runs.map(toMaintenanceDto),
        schedules: await schedules.show(),
      };
    },
  };
});
