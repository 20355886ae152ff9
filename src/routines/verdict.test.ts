// What becomes of a moment, and which events wake.
import { describe, expect, it } from 'vitest';
import { threadCpuMs } from '../../test/support/thread-cpu.ts';
import { globs, parseFilter, parsePattern } from './event-match.ts';
import { type Situation, verdictOf } from './verdict.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 5, 1, 12);
const situation = (more: Partial<Situation> = {}): Situation => ({
  source: 'Schedule',
  dueAt: now,
  now,
  isNewest: true,
  missedRunPolicy: 'RunOnce',
  quiet: false,
  blocked: null,
  open: 0,
  maxConcurrentRuns: 1,
  today: 0,
  maxRunsPerDay: 0,
  ...more,
});

describe('a moment', () => {
  it.each<[string, Partial<Situation>, object]>([
    ['starts on time', {}, { kind: 'start', source: 'Schedule' }],
    ['starts a little late', { dueAt: now - 60_000 }, { kind: 'start', source: 'Schedule' }],
    ['is quiet', { quiet: true }, { outcome: 'SkippedQuietHours' }],
    ['is asked for by hand in quiet hours', { quiet: true, source: 'Manual' }, { kind: 'start' }],
    ['is one too many today', { today: 3, maxRunsPerDay: 3 }, { outcome: 'SkippedThrottled' }],
    ['comes while one is at work', { open: 1 }, { outcome: 'SkippedOverlap' }],
    ['comes where nothing may begin', { blocked: 'The project is archived.' }, { outcome: 'SkippedThrottled' }],
    ['was missed and is caught up', { dueAt: now - hour }, { kind: 'start', source: 'CatchUp' }],
    ['was missed before another', { dueAt: now - hour, isNewest: false }, { outcome: 'Missed' }],
    ['was missed, to be skipped', { dueAt: now - hour, missedRunPolicy: 'Skip' }, { outcome: 'Missed' }],
    [
      'was missed, all to be run',
      { dueAt: now - hour, isNewest: false, missedRunPolicy: 'RunAll' },
      { source: 'CatchUp' },
    ],
    ['was missed, behind one at work', { dueAt: now - hour, missedRunPolicy: 'RunAll', open: 1 }, { kind: 'wait' }],
    ['was missed long ago', { dueAt: now - 8 * 24 * hour, missedRunPolicy: 'RunAll' }, { outcome: 'Missed' }],
    ['was missed, and now it is quiet', { dueAt: now - hour, quiet: true }, { outcome: 'SkippedQuietHours' }],
  ])('that %s', (_, more, expected) => {
    const verdict = verdictOf(situation(more));
    expect(verdict).toMatchObject(expected);
    if (verdict.kind === 'skip') expect(verdict.reason).toMatch(/\.$/);
  });
});

describe('an event', () => {
  const event = {
    type: 'run.failed',
    topics: ['runs', 'project:7'],
    data: { status: 'Failed', costUsd: 2, a: { b: ['x'] } },
  };

  it.each([
    ['run.failed', true],
    ['run.*', true],
    ['*', true],
    ['*.failed', true],
    ['run.f*d', true],
    ['run.completed', false],
    ['run', false],
    ['project:7/run.*', true],
    ['project:*/run.*', true],
    ['project:8/run.*', false],
  ])('is named by %s: %s', (pattern, expected) => {
    expect(parsePattern(pattern)(event)).toBe(expected);
  });

  it('is matched in time that does not explode', () => {
    const start = threadCpuMs();
    expect(globs(`${'*a'.repeat(90)}b`, 'a'.repeat(100_000))).toBe(false);
    expect(threadCpuMs() - start).toBeLessThan(1000);
  });

  it.each<[object, boolean]>([
    [{ status: 'Failed' }, true],
    [{ status: { ne: 'Failed' } }, false],
    [{ costUsd: { gt: 1, lte: 2 } }, true],
    [{ costUsd: { gt: '1' } }, false],
    [{ 'a.b': { contains: 'x' } }, true],
    [{ status: { contains: 'ail' }, missing: null }, true],
    [{ missing: { exists: true } }, false],
    [{ status: { in: ['Completed', 'Failed'] } }, true],
    [{ 'constructor.name': { exists: true } }, false],
  ])('that is filtered by %j: %s', (filter, expected) => {
    expect(parseFilter(JSON.stringify(filter))(event.data)).toBe(expected);
  });

  it.each(['[]', '{"a":{}}', '{"a":{"$where":"1"}}', '{"__proto__.x y":1}', '{"a":{"gt":true}}', 'x'])(
    'is not filtered by %j',
    (json) => {
      expect(() => parseFilter(json)).toThrowError(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
    },
  );

  it('is not named by what is no pattern', () => {
    for (const wrong of ['', 'a b', '/', 'x/', '(a+)+', 'a'.repeat(300)])
      expect(() => parsePattern(wrong), wrong).toThrowError(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
});
