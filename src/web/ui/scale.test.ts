// Places of figures on a plot.
import { describe, expect, it } from 'vitest';
import { frame, nearestTime, scaleOf } from './scale.ts';

const series = [
  { name: 'a', points: [0, 10, 20].map((at) => ({ at, value: at })) },
  { name: 'b', points: [{ at: 20, value: 15 }] },
];
const bottom = frame.height - frame.bottom;

describe('scale', () => {
  it('reaches the highest sum of bars, and the highest point of lines, in round steps', () => {
    expect(scaleOf(series, 'bar', [], 600).levels).toEqual([0, 10, 20, 30, 40]);
    expect(scaleOf(series, 'line', [], 600).levels).toEqual([0, 5, 10, 15, 20]);
    expect(scaleOf(series, 'bar', [], 600).y(40)).toBe(frame.top);
    expect(scaleOf(series, 'bar', [], 600).y(0)).toBe(bottom);
  });

  it('gives every time of the axis a place, in order, within the frame', () => {
    const { times, x } = scaleOf(series, 'bar', [5, 0], 600);
    expect(times).toEqual([0, 5, 10, 20]);
    const places = times.map(x);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(frame.left);
    expect(places.at(-1)).toBeLessThan(600);
  });

  it('finds the time that is nearest to the pointer', () => {
    const scale = scaleOf(series, 'line', [], 600);
    for (const at of scale.times) expect(nearestTime(scale, scale.x(at) + 3)).toBe(at);
    expect(nearestTime(scale, 0)).toBe(0);
    expect(nearestTime(scaleOf([], 'line', [], 600), 10)).toBeNull();
  });

  it('is one line at nought where nothing was counted', () => {
    expect(scaleOf([], 'bar', [1, 2], 600).levels).toEqual([0]);
  });
});
