// What flows on the page moves a step at a time by a timer. As an animation of CSS, a dashed stroke has the page rendered
// sixty times a second whatever its steps, since the browser's compositor cannot play it alone. Each step still has the
// window put together anew, which takes WebKit 30 ms without a graphics card: what flows all day takes two a second.
import { prefersStill } from './prefs.ts';

interface Beat {
  timer: ReturnType<typeof setInterval>;
  steps: number;
  /** Pixels a step, by the stroke that flows. */
  strokes: Map<SVGElement, number>;
}

/** By the time from step to step, ms. */
const beats = new Map<number, Beat>();

function step(beat: Beat) {
  if (document.hidden || prefersStill()) return;
  beat.steps += 1;
  for (const [stroke, pixels] of beat.strokes) stroke.style.strokeDashoffset = String(-beat.steps * pixels);
}

function begin(everyMs: number): Beat {
  const beat: Beat = { timer: setInterval(() => step(beat), everyMs), steps: 0, strokes: new Map() };
  beats.set(everyMs, beat);
  return beat;
}

/** A `ref` under which the dashes of a stroke flow for as long as it is shown: so many pixels a step, a step each `everyMs`. */
export function flowBy(pixels: number, everyMs: number) {
  return (stroke: SVGElement | null) => {
    if (!stroke) return;
    const beat = beats.get(everyMs) ?? begin(everyMs);
    beat.strokes.set(stroke, pixels);
    return () => {
      beat.strokes.delete(stroke);
      if (beat.strokes.size > 0) return;
      clearInterval(beat.timer);
      beats.delete(everyMs);
    };
  };
}
