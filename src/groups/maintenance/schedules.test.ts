// Schedules of maintenance by a clock that was ahead and is set right: each moment is asked for once, and none is left out.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { maintenanceRecord } from './record.ts';
import { createSchedules } from './schedules.ts';

const hour = 3_600_000;

it.each([10 * 365 * 24 * hour, 30 * hour, 2 * hour])(
  'a backup each hour goes on, the clock %d ms ahead',
  async (ahead) => {
    const clock = new SimulatedClock();
    const db = openTestDb(undefined, clock);
    await db.ensureIndexes([maintenanceRecord.spec]);
    const jobs = db.collection(maintenanceRecord.spec);
    const slots: string[] = [];
    const open = () =>
      createSchedules({
        ...{ db, clock, operatorTenantId: 1, now: async () => clock.now() },
        schedules: () => [{ task: 'Backup', cron: '0 * * * *', enabled: true }],
        async ask(task, slot) {
          const job = {
            _id: slots.length + 1,
            tenantId: 1,
            task,
            isScheduled: true,
            slot,
            createdAt: new Date(clock.now()),
          };
          await jobs.insertOne(job as never);
          slots.push(slot);
        },
      });
    // The process begins with the wrong clock.
    clock.jump(ahead);
    const schedules = open();
    await clock.advance(hour);
    await schedules.round();
    clock.jump(-ahead);
    for (let i = 0; i < 3; i++) {
      await clock.advance(hour);
      await schedules.round();
    }
    expect(new Set(slots).size).toBe(slots.length);
    const times = slots.map((slot) => Date.parse(slot.slice('Backup@'.length)));
    // The last one is that of the hour, whatever was asked for before.
    expect(times.at(-1)).toBe(clock.now() - (clock.now() % hour));
    expect((await schedules.show())[0]?.lastRunAtUtc).toBe(new Date(clock.now()).toISOString());
  },
);
