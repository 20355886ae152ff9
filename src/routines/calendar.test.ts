// When routines are due: across changes of the clocks, from wherever it is asked, and for what cannot be.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { oracleZones, randomCron, seeded } from '../../test/support/routine-samples.ts';
import { duesBetween, nextDue, nextDues, requireSchedule, type Schedule, warningOf } from './calendar.ts';
import { dueInstants, parseCron } from './cron.ts';
import { isQuiet, parseQuietHours } from './quiet-hours.ts';
import { zoneOf } from './zone.ts';

const cron = (cronExpression: string, timezoneId = 'Europe/Berlin'): Schedule => ({
  kind: 'Cron',
  cronExpression,
  timezoneId,
  intervalMinutes: null,
  runOnceAt: null,
  anchorAt: 0,
  expiresAt: null,
});
const utc = (text: string) => Date.parse(`${text}Z`);
const on = (expression: string, zone: string, from: string, to: string) =>
  duesBetween(cron(expression, zone), utc(from), utc(to)).map((at) => new Date(at).toISOString().slice(5, 16));

describe('a change of the clocks', () => {
  it.each([
    // The night from which an hour is left out: 02:00 is 03:00.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00', '2026-03-30T12:00', ['03-29T01:00', '03-30T00:30']],
    ['*/20 2 * * *', 'Europe/Berlin', '2026-03-29T00:00', '2026-03-29T12:00', ['03-29T01:00']],
    ['30 2,3 * * *', 'Europe/Berlin', '2026-03-29T00:00', '2026-03-29T12:00', ['03-29T01:00', '03-29T01:30']],
    ['0 2,3 * * *', 'Europe/Berlin', '2026-03-29T00:00', '2026-03-29T12:00', ['03-29T01:00']],
    ['15 * * * *', 'Europe/Berlin', '2026-03-29T00:00', '2026-03-29T02:00', ['03-29T00:15', '03-29T01:15']],
    // The night in which an hour comes twice.
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-26T12:00', ['10-25T00:30', '10-26T01:30']],
    ['*/30 2 * * *', 'Europe/Berlin', '2026-10-25T00:00', '2026-10-25T12:00', ['10-25T00:30']],
    ['30 */2 * * *', 'Europe/Berlin', '2026-10-25T00:00', '2026-10-25T04:00', ['10-25T00:30', '10-25T03:30']],
    [
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-24T23:59',
      '2026-10-25T02:00',
      ['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30', '10-25T02:00'],
    ],
    // Half an hour only; midnight itself; a whole day.
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00', '2026-10-04T12:00', ['10-03T15:30']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00', '2026-04-05T00:00', ['04-04T14:45']],
    ['0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00', '2018-11-04T12:00', ['11-04T03:00']],
    ['30 0 * * *', 'Asia/Beirut', '2026-03-28T12:00', '2026-03-29T12:00', ['03-28T22:00']],
    [
      '0 9 * * *',
      'Pacific/Apia',
      '2011-12-29T00:00',
      '2011-12-31T00:00',
      ['12-29T19:00', '12-30T10:00', '12-30T19:00'],
    ],
  ])('%s in %s', (expression, zone, from, to, expected) => {
    expect(on(expression, zone, from, to)).toEqual(expected);
  });

  it('is warned of, whatever it does to the time of day', () => {
    expect(warningOf(cron('30 2 * * *'), utc('2026-01-01T00:00'))).toContain(
      'On 2026-03-29 clocks in Europe/Berlin skip',
    );
    expect(warningOf(cron('30 2 * * *'), utc('2026-05-01T00:00'))).toContain('show 02:30 twice');
    expect(warningOf(cron('30 4 * * *'), utc('2026-05-01T00:00'))).toBeNull();
    expect(warningOf(cron('*/5 * * * *'), utc('2026-05-01T00:00'))).toBeNull();
  });
});

describe('the calendar', () => {
  it('names the same moments from wherever it is asked', () => {
    const random = seeded(7);
    for (let round = 0; round < 60; round++) {
      const schedule = cron(randomCron(random), oracleZones[random(oracleZones.length)] as string);
      const [start] = [Date.UTC(2026, [2, 3, 9, 10][random(4)] as number, 1)];
      const all = duesBetween(schedule, start, start + 40 * 86_400_000, 4000);
      for (let probe = 0; probe < 20 && all.length > 0; probe++) {
        const index = random(all.length);
        const previous = index === 0 ? start : (all[index - 1] as number);
        const from = previous + random(Math.max(1, (all[index] as number) - previous));
        expect(nextDue(schedule, from), `${schedule.cronExpression} from ${new Date(from)}`).toBe(all[index]);
      }
    }
  });

  it('counts intervals from their beginning, not from the last run', () => {
    const schedule: Schedule = {
      ...cron(''),
      kind: 'Interval',
      intervalMinutes: 90,
      anchorAt: utc('2026-01-01T08:00'),
    };
    expect(nextDues(schedule, utc('2026-01-01T10:00'), 2)).toEqual([utc('2026-01-01T11:00'), utc('2026-01-01T12:30')]);
    expect(nextDue(schedule, utc('2026-01-01T11:00'))).toBe(utc('2026-01-01T12:30'));
    expect(nextDue(schedule, utc('2025-01-01T00:00'))).toBe(utc('2026-01-01T09:30'));
  });

  it('is due once where it says so, and never for manual ones, events and after the end', () => {
    const once: Schedule = { ...cron(''), kind: 'Once', runOnceAt: utc('2026-06-01T00:00') };
    expect(nextDues(once, 0, 5)).toEqual([utc('2026-06-01T00:00')]);
    expect(nextDue(once, utc('2026-06-01T00:00'))).toBeNull();
    expect(nextDue({ ...cron('* * * * *'), kind: 'Manual' }, 0)).toBeNull();
    expect(nextDue({ ...cron('* * * * *'), kind: 'Event' }, 0)).toBeNull();
    expect(nextDues({ ...cron('0 * * * *'), expiresAt: 7_200_000 }, 0, 9)).toEqual([3_600_000, 7_200_000]);
  });

  it.each(['* * *', '61 * * * *', '* * * * * * *', 'a b c d e', '', '? * * * *', `${'1,'.repeat(200)}1 * * * *`])(
    'refuses the expression %j',
    (expression) => {
      expect(() => requireSchedule(cron(expression))).toThrowError(
        expect.objectContaining({ code: 'INVALID_CRON', hint: expect.stringContaining('weekday') }),
      );
    },
  );

  it.each(['99', '8 * * 1', '0 30 8 * * 1 2027'])('says how many fields %j lacks or has too many', (expression) => {
    const message = expect.stringMatching(/it has \d fields?, and takes five, or six with seconds\.$/);
    expect(() => requireSchedule(cron(expression))).toThrowError(expect.objectContaining({ message }));
  });

  it.each(['0 0 31 2 *', '0 0 30 2,2 *', '0 0 31 4,6,9,11 *', '0 0 0 30 2 *'])(
    'refuses the expression %j, whose date never comes',
    (expression) => {
      expect(() => requireSchedule(cron(expression))).toThrowError(
        expect.objectContaining({ code: 'INVALID_CRON', message: expect.stringContaining('no date is like that') }),
      );
    },
  );

  it.each(['0 0 29 2 *', '0 0 31 2 MON', '0 0 29 2 MON#5'])(
    'takes the expression %j, whose date is rare',
    (expression) => {
      requireSchedule(cron(expression));
      expect(nextDue(cron(expression), utc('2026-05-01T00:00'))).not.toBeNull();
    },
  );

  it('refuses zones that are none, and kinds without what they need', () => {
    expect(() => requireSchedule(cron('* * * * *', 'Mars/Olympus'))).toThrowError('There is no time zone');
    expect(() => requireSchedule({ ...cron(''), kind: 'Interval' })).toThrowError('needs intervalMinutes');
    expect(() => requireSchedule({ ...cron(''), kind: 'Once' })).toThrowError('needs runOnceAtUtc');
    expect(() => requireSchedule({ ...cron(''), cronExpression: null })).toThrowError('needs cronExpression');
  });
});

describe('quiet hours', () => {
  const berlin = zoneOf('Europe/Berlin');
  const quiet = (json: string, at: string) => isQuiet(parseQuietHours(json), berlin, utc(at));

  it('are those that clocks in the zone show, over midnight too', () => {
    const night = '{"from":"22:00","to":"07:00"}';
    expect(quiet(night, '2026-01-10T21:00')).toBe(true);
    expect(quiet(night, '2026-01-10T20:59')).toBe(false);
    expect(quiet(night, '2026-01-11T05:59')).toBe(true);
    expect(quiet(night, '2026-01-11T06:00')).toBe(false);
    // In summer an hour earlier by UTC.
    expect(quiet(night, '2026-07-11T05:30')).toBe(false);
  });

  it('belong to the day on which they begin', () => {
    const weekend = '[{"from":"18:00","to":"08:00","days":["Fri"]},{"from":"00:00","to":"23:59","days":["Sun"]}]';
    expect(quiet(weekend, '2026-01-09T18:00')).toBe(true);
    expect(quiet(weekend, '2026-01-10T06:00')).toBe(true);
    expect(quiet(weekend, '2026-01-10T18:00')).toBe(false);
    expect(quiet(weekend, '2026-01-11T12:00')).toBe(true);
  });

  it.each([
    '{',
    '{"from":"25:00","to":"07:00"}',
    '{"from":"22:00"}',
    '[{"from":"1","to":"2"}]',
    '{"from":"22:00","to":"07:00","x":1}',
  ])('are refused as %j', (json) => {
    expect(() => parseQuietHours(json)).toThrowError(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
});

it('reads the offset of a zone without changes once a year, not once a moment', () => {
  const zone = zoneOf('Asia/Kolkata');
  zone.offsetAt(Date.UTC(2026, 0, 1));
  const read = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  onTestFinished(() => read.mockRestore());
  for (let day = 0; day < 300; day++) expect(zone.offsetAt(Date.UTC(2026, 0, 1 + day))).toBe(330 * 60_000);
  expect(read).not.toHaveBeenCalled();
});

it('looks for the first moment of each hour alone, once it knows a whole hour', () => {
  const minutely = parseCron('* * * * *');
  let looks = 0;
  const after = (wall: number) => {
    looks++;
    return minutely.after(wall);
  };
  const from = utc('2026-03-28T12:30');
  const due = dueInstants({ ...minutely, after }, zoneOf('Europe/Berlin'), from);
  for (let minute = 1; minute <= 4800; minute++) expect(due.next().value).toBe(from + minute * 60_000);
  expect(looks).toBeLessThan(300);
});
