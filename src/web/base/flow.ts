// What flows on the page moves a step at a time by one timer. As an animation of CSS, a dashed stroke has the page rendered
// sixty times a second whatever its steps, since the browser's compositor cannot play it alone.
import { prefersStill } from './prefs.ts';

const stepMs = 125;
/** Pixels a step, by the stroke that flows. */
const strokes = new Map<SVGElement, number>();
let timer: ReturnType<typeof setInterval> | undefined;
let steps = 0;

function step() {
  if (document.hidden || prefersStill()) return;
  steps += 1;
  for (const [stroke, pixels] of strokes) stroke.style.strokeDashoffset = String(-steps * pixels);
}

/** A `ref` under which the dashes of a stroke flow for as long as it is shown: so many pixels, eight times a second. */
export function flowBy(pixels: number) {
  return (stroke: SVGElement | null) => {
    if (!stroke) return;
    strokes.set(stroke, pixels);
    timer ??= setInterval(step, stepMs);
    return () => {
      strokes.delete(stroke);
      if (strokes.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}
