// How often a drawing is drawn: once when asked, and while it moves no more often than it needs.

/** The browser's clocks, milliseconds. */
export interface FrameClock {
  now(): number;
  /** Calls back when the page is drawn next; answers how to take that back. */
  nextFrame(draw: (at: number) => void): () => void;
  after(ms: number, call: () => void): () => void;
}

export const pageClock: FrameClock = {
  now: () => performance.now(),
  nextFrame: (draw) => {
    const handle = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(handle);
  },
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Least time between frames of a moving texture, ms: 15 a second, a pixel or two each, are enough for water. */
const frameMs = 64;

export interface Pace {
  /** Has it drawn at the next frame, or at the end of the pause after the last one. */
  ask(): void;
  stop(): void;
}

/** Calls `draw` when asked and, while it answers true, about 15 times a second. */
export function createPace(draw: (at: number) => boolean, clock: FrameClock = pageClock): Pace {
  let cancel: (() => void) | null = null;
  const paint = (at: number) => {
    cancel = null;
    const begun = clock.now();
    const moves = draw(at);
    // A drawing that takes long is drawn less often, so that it never takes more than a sixth of the time.
    const pauseMs = Math.max(frameMs, (clock.now() - begun) * 6);
    // Waiting by frames would have the whole page rendered sixty times a second.
    if (moves) cancel = clock.after(pauseMs, resume);
  };
  const resume = () => {
    cancel = clock.nextFrame(paint);
  };
  return {
    ask: () => {
      if (cancel === null) resume();
    },
    stop: () => cancel?.(),
  };
}
