// Maintenance that is done by itself: each moment of a schedule asks for one job, on whichever node sees it first.
import type { JobState, MaintenanceTask } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { dueInstants, parseCron } from '../../routines/cron.ts';
import { zoneOf } from '../../routines/zone.ts';
import type { MaintenanceScheduleDto } from './dto.ts';
import { maintenanceRecord } from './record.ts';

export interface Schedule {
  task: MaintenanceTask;
  /** In UTC. */
  cron: string;
  enabled: boolean;
}

interface Deps {
  db: Db;
  clock: Clock;
  /** The time by which something is due. */
  now(): Promise<number>;
  operatorTenantId: number;
  schedules(): readonly Schedule[];
  /** @throws where the job's slot, or its place, is taken */
  ask(task: MaintenanceTask, slot: string): Promise<unknown>;
}

/** What was missed for longer is not made up for. */
const makeUpMs = 24 * 3_600_000;

export function createSchedules({ db, clock, operatorTenantId, schedules, ask, ...deps }: Deps) {
  const jobs = db.collection(maintenanceRecord.spec);
  /** What was due before this is for nobody; a clock that was ahead at the start is not believed. */
  let began = clock.now();
  const lastOf = async (task: MaintenanceTask) => {
    // One of a time that is yet to come was made by a clock that was ahead.
    const own = { tenantId: operatorTenantId, task, isScheduled: true, createdAt: { $lte: new Date(clock.now()) } };
    const [last] = await jobs.find(own, { sort: { createdAt: -1 }, limit: 1 }).toArray();
    return last ?? null;
  };
  return {
    /** Asks for what has become due. */
    async round(): Promise<void> {
      const now = await deps.now();
      began = Math.min(began, now);
      for (const { task, cron } of schedules().filter((one) => one.enabled)) {
        const last = await lastOf(task);
        const from = Math.max(last?.createdAt.getTime() ?? began, now - makeUpMs);
        let due: number | null = null;
        for (const at of dueInstants(parseCron(cron), zoneOf('UTC'), from)) {
          if (at > now) break;
          due = at;
        }
        if (due === null) continue;
        await ask(task, `${task}@${new Date(due).toISOString()}`).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
      }
    },
    async show(): Promise<MaintenanceScheduleDto[]> {
      const now = clock.now();
      return Promise.all(
        schedules().map(async ({ task, cron, enabled }) => {
          const last = await lastOf(task);
          const [next] = enabled ? dueInstants(parseCron(cron), zoneOf('UTC'), now) : [];
          return {
            ...{ task, cronExpression: cron, enabled },
            lastRunAtUtc: last?.createdAt.toISOString() ?? null,
            lastState: (last?.state ?? null) as JobState | null,
            nextDueAtUtc: next === undefined ? null : new Date(next).toISOString(),
          };
        }),
      );
    },
  };
}
export type Schedules = ReturnType<typeof createSchedules>;
