// A canvas that follows its box, the screen's density and the theme, and draws when something has changed or moves.
import { type RefObject, useEffect, useRef } from 'react';
import { prefersStill, prefs } from '../base/prefs.ts';
import { createPace } from './pace.ts';
import { type Palette, readPalette } from './palette.ts';

export interface Frame {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  palette: Palette;
  /** Grows with time while something moves, pixels. */
  phase: number;
}

/** What gives the tokens other colours. */
const recoloring = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)', 'print'];

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
    const still = prefersStill();
    const paint = (at: number) => {
      const { clientWidth: width, clientHeight: height } = element;
      const scale = window.devicePixelRatio || 1;
      if (element.width !== Math.round(width * scale) || element.height !== Math.round(height * scale)) {
        element.width = Math.round(width * scale);
        element.height = Math.round(height * scale);
      }
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      latest.current.draw({ ctx, width, height, palette, phase: still ? 0 : (at / 1000) * 24 });
      return latest.current.moving();
    };
    const pace = createPace(paint);
    // At once, since nothing else is drawn until the page is on paper.
    const recolor = () => {
      palette = readPalette(element);
      paint(performance.now());
    };
    request.current = pace.ask;
    const resized = new ResizeObserver(pace.ask);
    resized.observe(element);
    const asked = recoloring.map((query) => window.matchMedia(query));
    for (const media of asked) media.addEventListener('change', recolor);
    const unsubscribe = prefs.subscribe(recolor);
    void document.fonts?.ready.then(pace.ask);
    pace.ask();
    return () => {
      pace.stop();
      resized.disconnect();
      for (const media of asked) media.removeEventListener('change', recolor);
      unsubscribe();
    };
  }, [canvas]);

  useEffect(() => request.current());
  return () => request.current();
}
