// What a year would bring.
import { describe, expect, it } from 'vitest';
import type { Schedule } from './calendar.ts';
import { parseQuietHours } from './quiet-hours.ts';
import { type Plan, type Simulation, simulate } from './simulation.ts';

describe('a simulated year', () => {
  const schedule: Schedule = {
    kind: 'Cron',
    cronExpression: '30 2 * * *',
    timezoneId: 'Europe/Berlin',
    intervalMinutes: null,
    runOnceAt: null,
    anchorAt: 0,
    expiresAt: null,
  };
  const played = (plan: Plan, options: { runMs: number; slots: number; moments?: number }): Simulation => {
    const playing = simulate(plan, ...year, { moments: 175_000, ...options });
    let step = playing.next();
    while (!step.done) step = playing.next();
    return step.value;
  };
  const year = [Date.UTC(2025, 11, 31, 23), Date.UTC(2026, 11, 31, 23)] as const;

  it('has each day once, and both changes of the clocks', () => {
    const plan = { schedule, quietHours: [], maxRunsPerDay: 0, maxConcurrentRuns: 1 };
    const { due, runs, shifts, days, slots } = played(plan, { runMs: 0, slots: 400 });
    expect([due, runs, days.length]).toEqual([365, 365, 365]);
    expect(shifts.map(({ minutes }) => minutes)).toEqual([60, -60]);
    expect(new Set(slots.map(({ dueAt }) => new Date(dueAt).toDateString())).size).toBe(365);
  });

  it('shows what quiet hours, a long run and the daily limit take away', () => {
    const plan = {
      schedule: { ...schedule, cronExpression: '*/15 * * * *' },
      quietHours: parseQuietHours('{"from":"20:00","to":"08:00"}'),
      maxRunsPerDay: 10,
      maxConcurrentRuns: 1,
    };
    const { days } = played(plan, { runMs: 20 * 60_000, slots: 0 });
    expect(days.find(({ date }) => date === '2026-06-01')).toEqual({
      date: '2026-06-01',
      due: 96,
      runs: 10,
      skippedQuietHours: 48,
      skippedOverlap: 9,
      skippedThrottled: 29,
    });
    expect(days.find(({ date }) => date === '2026-03-29')?.due).toBe(92);
    expect(days.find(({ date }) => date === '2026-10-25')?.due).toBe(100);
  });

  it('plays as many moments as it may, and says which is the first that it left out', () => {
    const often = { ...schedule, cronExpression: '*/10 * * * * *' };
    const plan = { schedule: often, quietHours: [], maxRunsPerDay: 0, maxConcurrentRuns: 1 };
    const { due, days, playedTo } = played(plan, { runMs: 0, slots: 0, moments: 10_000 });
    expect([due, playedTo]).toEqual([10_000, year[0] + 10_001 * 10_000]);
    expect(days.map((day) => day.due)).toEqual([8639, 1361]);
    expect(played({ ...plan, schedule }, { runMs: 0, slots: 0, moments: 365 }).playedTo).toBeNull();
  });
});
