import { describe, expect, it } from 'vitest';
import { drawable, drawnAFrame } from './rows.ts';

const wanted = Array.from({ length: 20 }, (_, index) => 100 + index);
const weigh = () => 1;
const sight = { startIndex: 108, endIndex: 111 };

describe('rows that are drawn', () => {
  it('are all when none is new', () => {
    expect(drawable({ wanted, sight, isDrawn: () => true, weigh, room: drawnAFrame })).toEqual(wanted);
  });

  it('are those in sight first, then a few more each time, until all are', () => {
    const drawn = new Set<number>();
    const steps: number[] = [];
    for (let all = false; !all; ) {
      const rows = drawable({ wanted, sight, isDrawn: (index) => drawn.has(index), weigh, room: drawnAFrame });
      expect(rows).toEqual([...rows].sort((a, b) => a - b));
      steps.push(rows.length - drawn.size);
      if (steps.length === 1) expect(rows).toEqual([108, 109, 110, 111]);
      for (const row of rows) drawn.add(row);
      all = rows.length === wanted.length;
    }
    expect(Math.max(...steps)).toBe(drawnAFrame);
    expect(drawn.size).toBe(wanted.length);
  });

  it('are fewer where they are long texts', () => {
    expect(drawable({ wanted, sight, isDrawn: () => false, weigh: () => 2, room: drawnAFrame })).toEqual([110, 111]);
  });
});
