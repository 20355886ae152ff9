// The alarm of routines after a clock that was ahead: its look does not wait for the time that the clock had shown.
import { expect, it, onTestFinished } from 'vitest';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { silentLogger as log } from '../../../kernel/logger.ts';
import { openAlarm } from './alarm.ts';

it.each(['nextRunAt', 'lockedAt'])(
  'looks again where %s lies years ahead: at its start, or while it works',
  async (field) => {
    const db = openTestDb();
    let looks = 0;
    const open = () =>
      openAlarm({
        ...{ db, clock: systemClock, log, wake: async () => {}, nextWake: async () => null },
        look: async () => void looks++,
      });
    const first = await open();
    await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(0);
    await first.close();
    const jobs = db.collection<{ _id: string; name: string }>('agendaJobs');
    const setAhead = async () => {
      const changed = await jobs.updateMany(
        { name: 'routine.look' },
        { $set: { [field]: new Date(Date.UTC(2090, 0)) } },
      );
      expect(changed.matchedCount).toBe(1);
      looks = 0;
    };
    if (field === 'nextRunAt') await setAhead();
    const second = await open();
    onTestFinished(() => second.close());
    if (field === 'lockedAt') {
      await setAhead();
      await second.mend();
    }
    await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(0);
  },
);
