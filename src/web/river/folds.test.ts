import { describe, expect, it } from 'vitest';
import { foldsOf, unwarp, warp } from './folds.ts';
import { createTrack, type Track } from './track.ts';

const minute = 60_000;
const track = (id: number, from: number, more: Partial<Track> = {}): Track => ({
  ...createTrack(id, null, from),
  last: from,
  ...more,
});
/** Works for a minute, waits for an hour, works for a minute and ends. */
const waits = [{ from: minute, to: 61 * minute }];
const ended = { kind: 'completed' as const, at: 62 * minute, seq: 9 };

describe('long waits', () => {
  it('are folded where every run of the tree waits', () => {
    const parent = track(1, 0, { waits, end: ended });
    const [fold] = foldsOf([parent], 90 * minute, new Set());
    expect(fold).toMatchObject({ from: minute, to: 61 * minute, shown: 6000 });
    const child = track(2, 10 * minute, { end: { ...ended, at: 20 * minute } });
    expect(foldsOf([parent, child], 90 * minute, new Set()).map(({ from, to }) => [from, to])).toEqual([
      [minute, 10 * minute],
      [20 * minute, 61 * minute],
    ]);
  });

  it('grow while the run still waits, and stay unfolded where the reader opened them', () => {
    const waiting = track(1, 0, { last: minute });
    expect(foldsOf([waiting], 31 * minute, new Set())).toMatchObject([{ from: minute, to: 31 * minute }]);
    expect(foldsOf([waiting], 31 * minute, new Set([minute]))).toEqual([]);
    const block = { kind: 'tool' as const, id: 'c', from: minute, to: null, label: '', failed: false };
    const busy = track(1, 0, { last: minute, blocks: [{ ...block, sandboxed: false, flow: 0, seq: 3 }] });
    expect(foldsOf([busy], 31 * minute, new Set())).toEqual([]);
    // The call that asks is open for as long as nobody decides.
    const gate = { id: '1', from: minute, to: null, timeoutAt: null, label: '', seq: 4 };
    expect(foldsOf([{ ...busy, gates: [gate] }], 31 * minute, new Set())).toMatchObject([{ from: minute }]);
  });

  it('are left as they are where they are short beside the work', () => {
    const short = [{ from: 10 * minute, to: 11 * minute }];
    expect(foldsOf([track(1, 0, { waits: short, end: ended })], 90 * minute, new Set())).toEqual([]);
  });

  it('take little room, and each place is one time', () => {
    const folds = foldsOf([track(1, 0, { waits, end: ended })], 90 * minute, new Set());
    expect(warp(folds, 62 * minute)).toBe(2 * minute + 6000);
    for (const at of [0, minute / 2, minute, 30 * minute, 61 * minute, 62 * minute])
      expect(unwarp(folds, warp(folds, at))).toBeCloseTo(at, 3);
  });
});
