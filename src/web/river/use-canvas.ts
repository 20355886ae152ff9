// A canvas that follows its box, the screen's density and the theme, and draws when something has changed or moves.
import { type RefObject, useEffect, useRef } from 'react';
import { prefersStill, prefs } from '../base/prefs.ts';
import { type Palette, readPalette } from './palette.ts';

export interface Frame {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  palette: Palette;
  /** Grows with time while something moves, pixels. */
  phase: number;
}

/** Least time between frames of a moving texture, ms: 15 a second, a pixel or two each, are enough for water. */
const frameMs = 64;

/**
 * Calls `draw` after each render and, while `moving` answers true, about 15 times a second. Answers how to have it drawn
 * again besides.
 */
export function useCanvas(
  canvas: RefObject<HTMLCanvasElement | null>,
  draw: (frame: Frame) => void,
  moving: () => boolean,
): () => void {
  const latest = useRef({ draw, moving });
  latest.current = { draw, moving };
  const request = useRef<() => void>(() => {});

  useEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext('2d');
    if (!element || !ctx) return;
    let palette = readPalette(element);
    let handle = 0;
    let pause: ReturnType<typeof setTimeout> | undefined;
    const still = prefersStill();
    const paint = (at: number) => {
      handle = 0;
      const begun = performance.now();
      const { clientWidth: width, clientHeight: height } = element;
      const scale = window.devicePixelRatio || 1;
      if (element.width !== Math.round(width * scale) || element.height !== Math.round(height * scale)) {
        element.width = Math.round(width * scale);
        element.height = Math.round(height * scale);
      }
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      latest.current.draw({ ctx, width, height, palette, phase: still ? 0 : (at / 1000) * 24 });
      // A drawing that takes long is drawn less often, so that it never takes more than a sixth of the time.
      const pauseMs = Math.max(frameMs, (performance.now() - begun) * 6);
      // Waiting by frames would have the whole page rendered sixty times a second.
      if (latest.current.moving()) pause = setTimeout(resume, pauseMs);
    };
    const schedule = () => {
      if (!handle && pause === undefined) handle = requestAnimationFrame(paint);
    };
    const resume = () => {
      pause = undefined;
      schedule();
    };
    const recolor = () => {
      palette = readPalette(element);
      schedule();
    };
    request.current = schedule;
    const resized = new ResizeObserver(schedule);
    resized.observe(element);
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', recolor);
    const unsubscribe = prefs.subscribe(recolor);
    void document.fonts?.ready.then(schedule);
    schedule();
    return () => {
      cancelAnimationFrame(handle);
      clearTimeout(pause);
      resized.disconnect();
      scheme.removeEventListener('change', recolor);
      unsubscribe();
    };
  }, [canvas]);

  useEffect(() => request.current());
  return () => request.current();
}
