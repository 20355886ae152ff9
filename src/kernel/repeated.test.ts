import { expect, it } from 'vitest';
import { Fault } from './fault.ts';
import { createLogger } from './logger.ts';
import { tellRepeated } from './repeated.ts';
import { SimulatedClock } from './simulated-clock.ts';

const away = (message = 'The disk failed.', cause?: Error) => new Fault('STORE_UNAVAILABLE', message, { cause });

/** A logger, and its lines as level, message, error and what was left out. */
function logged(level = 'info') {
  const clock = new SimulatedClock();
  const lines: unknown[] = [];
  const write = (line: string) => {
    const { level, msg, err, leftOut, ...others } = JSON.parse(line);
    lines.push([level, msg, ...(err ? [err.message] : []), ...(leftOut === undefined ? [] : [leftOut])]);
    Object.assign(last, others);
  };
  const last: Record<string, unknown> = {};
  return { clock, lines, last, log: createLogger({ level, pretty: false, out: { write }, clock }) };
}

it('a failure of the store is told once, then once a minute with how often it came, and once when it is over', async () => {
  const { clock, lines, last, log } = logged();
  const round = log.child({ domain: 'Chat' });
  for (let second = 0; second < 150; second++) {
    round.error({ err: away(), kind: 'a' }, 'a round failed');
    await clock.advance(1000);
  }
  expect(lines).toEqual([
    [50, 'a round failed', 'The disk failed.'],
    [50, 'a round failed', 'The disk failed.', 59],
    [50, 'a round failed', 'The disk failed.', 60],
  ]);
  await clock.advance(30_000);
  expect(lines.splice(0).at(-1)).toEqual([50, 'a round failed', 'The disk failed.', 30]);
  await clock.advance(60_000);
  expect(lines).toEqual([[30, 'over: a round failed', 149]]);
  expect(last).toMatchObject({ domain: 'Chat', kind: 'a' });
  await clock.advance(600_000);
  expect(lines.splice(0)).toHaveLength(1);
  expect(clock.nextDue()).toBeNull();
  round.error({ err: away(), kind: 'a' }, 'a round failed');
  expect(lines).toEqual([[50, 'a round failed', 'The disk failed.']]);
});

it('one that comes more seldom is told each time, and nothing says that it was over', async () => {
  const { clock, lines, log } = logged();
  for (let hour = 0; hour < 3; hour++) {
    log.warn({ err: away() }, 'the sweep failed');
    await clock.advance(3_600_000);
  }
  expect(lines).toEqual(Array(3).fill([40, 'the sweep failed', 'The disk failed.']));
});

it('other errors, other places, other things and other words are told', () => {
  const { lines, log } = logged();
  const say = [
    () => log.error({ err: away(), runId: 1 }, 'a run failed'),
    () => log.error({ err: away(), runId: 2 }, 'a run failed'),
    () => log.warn({ err: away(), runId: 1 }, 'a run failed'),
    () => log.error({ err: away(), runId: 1 }, 'another place'),
    () => log.child({ domain: 'Chat' }).error({ err: away(), runId: 1 }, 'a run failed'),
    () => log.error({ err: away('The disk is full.'), runId: 1 }, 'a run failed'),
    () => log.error({ err: away('The disk failed.', new Error('EIO')), runId: 1 }, 'a run failed'),
    () => log.error({ err: away('The disk failed.', new Error('EROFS')), runId: 1 }, 'a run failed'),
  ];
  for (const one of [...say, ...say]) one();
  expect(lines).toHaveLength(say.length);
});

it('what is no failure of the store is told whenever it comes', () => {
  const { lines, log } = logged();
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const say = [
    () => log.error({ err: new Error('a bug') }, 'a round failed'),
    () => log.error({ err: new Fault('INTERNAL_ERROR', 'a bug') }, 'a round failed'),
    () => log.error(away(), 'bare'),
    () => log.error('a word'),
    () => log.info({ err: away() }, 'by the way'),
    () => log.error({ err: away(), circle }, 'cannot be compared'),
    () => log.error({ err: null }, 'nothing'),
  ];
  for (const one of [...say, ...say]) one();
  expect(lines).toHaveLength(2 * say.length);
});

it('a level that was raised meanwhile holds', async () => {
  const { clock, lines, log } = logged();
  for (let time = 0; time < 2; time++) log.warn({ err: away() }, 'a run failed');
  expect(lines.splice(0)).toHaveLength(1);
  log.level = 'error';
  await clock.advance(600_000);
  expect(lines).toEqual([]);
});

it('more failures than are followed are told whenever they come', () => {
  let told = 0;
  const tell = tellRepeated(new SimulatedClock());
  const failure = (key: string) => ({ key, tell: () => void told++, tellAgain() {}, tellOver() {} });
  for (let time = 0; time < 2; time++) for (let n = 0; n < 1001; n++) tell(failure(`${n}`));
  expect(told).toBe(1002);
});
