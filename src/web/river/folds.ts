// Long waits, folded: where no run of a tree does anything for long, time takes little room. Pure arithmetic.
import { isBusy, leastWait, type Track } from './track.ts';

interface Stretch {
  from: number;
  to: number;
}

/** A wait and how much of the river it takes, both ms. */
export interface Fold extends Stretch {
  shown: number;
}

/** A wait is folded when it is longer than this share of all the rest, and takes this share then. */
const longShare = 0.3;

const shownShare = 0.05;

const leastShown = 1000;

/** When a run did nothing, in order, without bounds where it had not begun and has ended. */
function idleOf(track: Track, now: number): Stretch[] {
  const end = track.end?.at ?? null;
  const tail = end ?? (isBusy(track) ? null : track.last);
  return [
    { from: Number.NEGATIVE_INFINITY, to: track.from },
    ...track.waits,
    ...(tail === null ? [] : [{ from: tail, to: end === null ? now : Number.POSITIVE_INFINITY }]),
  ];
}

/** What is in both lists. */
function overlap(a: readonly Stretch[], b: readonly Stretch[]): Stretch[] {
  const both: Stretch[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x, y] = [a[i] as Stretch, b[j] as Stretch];
    const from = Math.max(x.from, y.from);
    const to = Math.min(x.to, y.to);
    if (to - from >= leastWait) both.push({ from, to });
    if (x.to < y.to) i += 1;
    else j += 1;
  }
  return both;
}

/** The waits of a tree that are folded, in order; those that begin at `open` times are not. */
export function foldsOf(tracks: readonly Track[], now: number, open: ReadonlySet<number>): Fold[] {
  const [first, ...others] = tracks;
  if (!first) return [];
  const idle = others.reduce((all, track) => overlap(all, idleOf(track, now)), idleOf(first, now));
  const waits = idle.filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to) && to - from >= leastWait);
  const begin = Math.min(...tracks.map(({ from }) => from));
  const end = Math.max(...tracks.map((track) => track.end?.at ?? now));
  const rest = end - begin - waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const shown = Math.max(leastShown, rest * shownShare);
  return waits
    .filter(({ from, to }) => to - from > rest * longShare && to - from > shown * 2 && !open.has(from))
    .map((wait) => ({ ...wait, shown }));
}

/** Where a time is on a river with folds, ms. */
export function warp(folds: readonly Fold[], at: number): number {
  let place = at;
  for (const { from, to, shown } of folds) {
    if (at <= from) break;
    place -= (Math.min(at, to) - from) * (1 - shown / (to - from));
  }
  return place;
}

/** The time at a place of a river with folds, ms. */
export function unwarp(folds: readonly Fold[], place: number): number {
  let at = place;
  for (const { from, to, shown } of folds) {
    if (at <= from) break;
    const within = Math.min(1, (at - from) / shown);
    at += within * (to - from - shown);
  }
  return at;
}
