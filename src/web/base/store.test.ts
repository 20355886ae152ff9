import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createVersion } from './store.ts';

let frames: (() => void)[] = [];
beforeEach(() => {
  frames = [];
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
});
const draw = () => {
  for (const frame of frames.splice(0)) frame();
};

it('tells of any number of changes once a frame', () => {
  const changing = createVersion();
  const told = vi.fn();
  changing.subscribe(told);
  for (let change = 0; change < 100; change++) changing.touch();
  expect(told).not.toHaveBeenCalled();
  draw();
  vi.runAllTimers();
  expect([changing.version, told.mock.calls.length]).toEqual([1, 1]);
});

it('tells of changes also where no frame comes, as on a page that is hidden while one is awaited', () => {
  const changing = createVersion();
  changing.touch();
  vi.runAllTimers();
  expect(changing.version).toBe(1);
  draw();
  expect(changing.version).toBe(1);
  changing.touch();
  vi.runAllTimers();
  expect(changing.version).toBe(2);
});
