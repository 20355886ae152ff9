// What is drawn with: the canvas, where things are, and the few strokes that all parts use.
import type { Palette } from './palette.ts';
import type { Scene } from './scene.ts';

export interface Drawing {
  ctx: CanvasRenderingContext2D;
  scene: Scene;
  palette: Palette;
  /** Phase of moving textures, pixels; 0 when motion is off. */
  phase: number;
  selected: { runId: number; seq: number | null } | null;
  hovered: { runId: number; seq: number | null } | null;
  labelOf: (runId: number) => string;
}

/** A rectangle given along and across time. */
export function rect(
  { scene }: Drawing,
  a: number,
  b: number,
  side: number,
  half: number,
): [number, number, number, number] {
  return scene.vertical ? [side - half, a, half * 2, b - a] : [a, side - half, b - a, half * 2];
}

export const point = ({ scene }: Drawing, a: number, side: number): [number, number] =>
  scene.vertical ? [side, a] : [a, side];

export function line(d: Drawing, from: [number, number], to: [number, number]) {
  d.ctx.beginPath();
  d.ctx.moveTo(...from);
  d.ctx.lineTo(...to);
  d.ctx.stroke();
}
