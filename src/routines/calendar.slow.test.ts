// When routines are due, by the server and by a second library.
import { expect, it } from 'vitest';
import { oracleDues } from '../../test/support/routine-oracle.ts';
import { oracleZones, randomCron, seeded } from '../../test/support/routine-samples.ts';
import { duesBetween, type Schedule } from './calendar.ts';

const cron = { kind: 'Cron', intervalMinutes: null, runOnceAt: null, anchorAt: 0, expiresAt: null } as const;

it('a calendar says what a second library says, for any expression, zone and year', () => {
  const random = seeded(20);
  let moments = 0;
  for (let round = 0; round < 400; round++) {
    const zone = oracleZones[random(oracleZones.length)] as string;
    const expression = randomCron(random);
    // Around changes of the clocks most often, in years with different rules.
    const year = [2011, 2018, 2025, 2026][random(4)] as number;
    const from = Date.UTC(year, random(12), 1 + random(28), random(24), random(60));
    const to = from + 40 * 86_400_000;
    const schedule: Schedule = { ...cron, cronExpression: expression, timezoneId: zone };
    const wanted = oracleDues(expression, zone, from, to);
    expect(duesBetween(schedule, from, to), `${expression} ${zone} ${new Date(from)}`).toEqual(wanted);
    moments += wanted.length;
  }
  expect(moments).toBeGreaterThan(20_000);
}, 60_000);
