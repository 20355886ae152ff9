// Where things of a river are on the canvas, and what lies under the pointer.
import { type Fold, unwarp, warp } from './folds.ts';
import { firstAfter, type Lane, type River } from './layout.ts';
import type { Block, Gate, Mark, Span } from './track.ts';

/** The part of the river in view, ms since the epoch where nothing before it is folded. */
export interface View {
  from: number;
  to: number;
}

export interface Scene {
  river: River;
  view: View;
  /** Pixels along time and across it. */
  length: number;
  breadth: number;
  /** Time flows down instead of right, for narrow screens. */
  vertical: boolean;
  /** Pixels scrolled across. */
  scroll: number;
  /** Pixels from row to row. */
  pitch: number;
  now: number;
  /** Long waits that take little room. */
  folds: readonly Fold[];
}

/** Rows with all they can show, and the least that can still be told apart, px. */
const fullPitch = 42;
const leastPitch = 8;
/** Below this there is no room for the name of a run above it, px. */
const namedPitch = 30;
export const axisSize = 24;
const margin = 8;

/** The pitch at which all rows fit into `room` pixels, as far as they can. */
export const pitchFor = (rows: number, room: number): number =>
  Math.max(leastPitch, Math.min(fullPitch, (room - axisSize - margin) / Math.max(2, rows)));

/** The pitch at which every run is named. */
export const namedPitchFor = (rows: number, room: number): number =>
  isNamed(pitchFor(rows, room)) ? pitchFor(rows, room) : fullPitch;

export const isNamed = (pitch: number): boolean => pitch >= namedPitch;

/** What the rows take across, px. */
export const breadthOf = (rows: number, pitch: number): number => Math.max(2, rows) * pitch + axisSize + margin;

/** Half of a block's breadth, px. */
export const blockHalf = ({ pitch }: Scene): number => Math.min(9, pitch * 0.36);

export const along = (scene: Scene, at: number): number =>
  ((warp(scene.folds, at) - scene.view.from) / (scene.view.to - scene.view.from)) * scene.length;

/** The place on the river, as views name it. */
export const placeAt = (scene: Scene, pixel: number): number =>
  scene.view.from + (pixel / scene.length) * (scene.view.to - scene.view.from);

/** The times in view, ms since the epoch. */
export const timesOf = ({ folds, view }: Scene): View => ({
  from: unwarp(folds, view.from),
  to: unwarp(folds, view.to),
});

/** The fold at a place along the river, if there is one. */
export const foldAt = (scene: Scene, pixel: number): Fold | undefined =>
  scene.folds.find(({ from, to }) => pixel >= along(scene, from) && pixel <= along(scene, to));

/** Middle of a row, across. */
export const across = ({ pitch, scroll }: Scene, row: number): number =>
  axisSize + row * pitch + pitch * (isNamed(pitch) ? 0.62 : 0.5) - scroll;

export type Target =
  | { kind: 'block'; lane: Lane; item: Block }
  | { kind: 'gate'; lane: Lane; item: Gate }
  | { kind: 'council' | 'pause' | 'break'; lane: Lane; item: Span }
  | { kind: 'mark'; lane: Lane; item: Mark }
  | { kind: 'end'; lane: Lane; item: { seq: number; at: number } }
  | { kind: 'lane'; lane: Lane; item: null };

const endOf = (scene: Scene) => (item: { to: number | null }) => item.to ?? scene.now;

/** The items of a list, sorted by start, that are in view. Long ones that began well before are found too. */
export function* inView<T extends { from: number; to: number | null }>(
  scene: Scene,
  items: readonly T[],
): Generator<T> {
  const end = endOf(scene);
  // Parallel items end out of order, so look back a little.
  const view = timesOf(scene);
  const first = Math.max(0, firstAfter(items, view.from, end) - 16);
  for (let i = first; i < items.length; i++) {
    const item = items[i] as T;
    if (item.from > view.to) return;
    if (end(item) >= view.from) yield item;
  }
}

const spanKinds = ['councils', 'pauses', 'breaks'] as const;
const kindOf = { councils: 'council', pauses: 'pause', breaks: 'break' } as const;

function hitLane(scene: Scene, lane: Lane, pixel: number): Target {
  const { track } = lane;
  const end = endOf(scene);
  const near = (at: number) => Math.abs(along(scene, at) - pixel) <= 7;
  const covers = (item: { from: number; to: number | null }) =>
    pixel >= along(scene, item.from) - 4 && pixel <= Math.max(along(scene, end(item)), along(scene, item.from) + 4) + 4;
  if (track.end && near(track.end.at)) return { kind: 'end', lane, item: track.end };
  const gate = track.gates.find(covers);
  if (gate) return { kind: 'gate', lane, item: gate };
  const mark = track.marks.find((item) => near(item.at));
  if (mark) return { kind: 'mark', lane, item: mark };
  for (const item of inView(scene, track.blocks)) if (covers(item)) return { kind: 'block', lane, item };
  for (const list of spanKinds) {
    const span = track[list].find(covers);
    if (span) return { kind: kindOf[list], lane, item: span };
  }
  return { kind: 'lane', lane, item: null };
}

/** What is at a point of the canvas. */
export function hit(scene: Scene, x: number, y: number): Target | null {
  const [pixel, side] = scene.vertical ? [y, x] : [x, y];
  for (const lane of scene.river.lanes) {
    if (Math.abs(across(scene, lane.row) - side) > scene.pitch / 2) continue;
    if (pixel < along(scene, lane.from) - 8 || pixel > along(scene, Math.max(lane.to, lane.joinedAt ?? 0)) + 10)
      continue;
    return hitLane(scene, lane, pixel);
  }
  return null;
}

const steps = [
  100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 14_400e3,
  43_200e3, 86_400e3,
];

/** A round distance between time marks, for marks about `pixels` apart. */
export function tickStep(view: View, length: number, pixels = 90): number {
  const wanted = ((view.to - view.from) / length) * pixels;
  return steps.find((step) => step >= wanted) ?? Math.ceil(wanted / 86_400e3) * 86_400e3;
}
