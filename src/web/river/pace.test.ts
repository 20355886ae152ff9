import { expect, it } from 'vitest';
import { createPace } from './pace.ts';

/** A screen that draws sixty times a second, in a time of its own. */
function createScreen() {
  let time = 0;
  const waiting = new Set<{ at: number; call: (at: number) => void }>();
  let frames = 0;
  const add = (at: number, call: (at: number) => void) => {
    const one = { at, call };
    waiting.add(one);
    return () => void waiting.delete(one);
  };
  return {
    clock: {
      now: () => time,
      nextFrame: (draw: (at: number) => void) => {
        frames++;
        return add((Math.floor((time * 60) / 1000 + 1e-6) + 1) * (1000 / 60), draw);
      },
      after: (ms: number, call: () => void) => add(time + ms, call),
    },
    /** Frames that the browser was asked for. */
    frames: () => frames,
    spend: (ms: number) => {
      time += ms;
    },
    runUntil(end: number) {
      for (;;) {
        const [next] = [...waiting].sort((one, other) => one.at - other.at);
        if (!next || next.at > end) break;
        waiting.delete(next);
        time = Math.max(time, next.at);
        next.call(time);
      }
      time = Math.max(time, end);
    },
  };
}

/** A drawing that counts how often it is drawn, and moves for as long as `draw` says so. */
function createDrawing(draw: (screen: ReturnType<typeof createScreen>) => boolean = () => true) {
  const screen = createScreen();
  let drawn = 0;
  const pace = createPace(() => {
    drawn++;
    return draw(screen);
  }, screen.clock);
  return { screen, pace, drawn: () => drawn };
}

it('draws what moves some 15 times a second, and wakes the page no more often', () => {
  const { screen, pace, drawn } = createDrawing();
  pace.ask();
  screen.runUntil(10_000);
  expect(drawn()).toBeGreaterThanOrEqual(120);
  expect(drawn()).toBeLessThanOrEqual(150);
  // One more is waited for.
  expect(screen.frames()).toBeLessThanOrEqual(drawn() + 1);
});

it('draws no more often where changes ask for it, too', () => {
  const { screen, pace, drawn } = createDrawing();
  for (let at = 0; at < 10_000; at += 5) {
    pace.ask();
    screen.runUntil(at);
  }
  expect(drawn()).toBeGreaterThanOrEqual(120);
  expect(drawn()).toBeLessThanOrEqual(150);
});

it('takes no more than a sixth of the time where a drawing takes long', () => {
  const { screen, pace, drawn } = createDrawing((one) => {
    one.spend(50);
    return true;
  });
  pace.ask();
  screen.runUntil(10_000);
  expect(drawn() * 50).toBeLessThanOrEqual(10_000 / 6);
  expect(drawn()).toBeGreaterThan(20);
});

it('draws what stands once each time it is asked, and nothing after it was stopped', () => {
  let moves = false;
  const { screen, pace, drawn } = createDrawing(() => moves);
  for (const _ of [1, 2]) pace.ask();
  screen.runUntil(1000);
  expect(drawn()).toBe(1);
  moves = true;
  pace.ask();
  screen.runUntil(1020);
  expect(drawn()).toBe(2);
  pace.stop();
  screen.runUntil(2000);
  expect(drawn()).toBe(2);
});
