// Places the runs of a tree on rows: a pure function from tracks to lanes, drawn by draw.ts and tested by itself.
import type { Track } from './track.ts';

export interface Lane {
  track: Track;
  row: number;
  /** Where it branches off; null for the main stream. */
  parentRow: number | null;
  /** ms since the epoch; `to` is now for a run that goes on. */
  from: number;
  to: number;
  /** When its result reached the parent, or null. */
  joinedAt: number | null;
}

export interface River {
  lanes: Lane[];
  rows: number;
  from: number;
  to: number;
}

/** Room that a lane keeps to the next one on its row, as a share of the river's length. */
const clearance = 0.012;

interface Row {
  spans: { from: number; to: number }[];
}

function fits(row: Row, from: number, to: number, gap: number): boolean {
  return row.spans.every((span) => to + gap <= span.from || from - gap >= span.to);
}

/**
 * The main stream is row 0. A tributary takes the nearest free row below its parent's for its whole length, so that no
 * two lanes ever lie on each other, and short-lived children share rows.
 */
export function layoutRiver(tracks: Iterable<Track>, rootId: number, now: number): River {
  const byId = new Map(Array.from(tracks, (track) => [track.runId, track]));
  const root = byId.get(rootId);
  if (!root) return { lanes: [], rows: 0, from: now, to: now };
  const children = new Map<number, Track[]>();
  for (const track of byId.values()) {
    if (track.runId === rootId || track.parentRunId === null) continue;
    children.set(track.parentRunId, [...(children.get(track.parentRunId) ?? []), track]);
  }
  const endOf = (track: Track) => track.end?.at ?? now;
  const from = Math.min(...Array.from(byId.values(), (track) => track.from));
  const to = Math.max(...Array.from(byId.values(), endOf), from + 1);
  const gap = (to - from) * clearance;
  const rows: Row[] = [];
  const lanes: Lane[] = [];

  const place = (track: Track, parent: Lane | null) => {
    const start = parent ? (parent.track.spawns.get(track.runId) ?? track.from) : track.from;
    const joinedAt = parent?.track.joins.get(track.runId) ?? null;
    const end = Math.max(endOf(track), joinedAt ?? 0, start);
    let row = parent ? parent.row + 1 : 0;
    while (rows[row] && !fits(rows[row] as Row, start, end, gap)) row += 1;
    while (rows.length <= row) rows.push({ spans: [] });
    rows[row]?.spans.push({ from: start, to: end });
    const lane: Lane = {
      track,
      row,
      parentRow: parent?.row ?? null,
      from: start,
      to: Math.max(endOf(track), start),
      joinedAt,
    };
    lanes.push(lane);
    const own = (children.get(track.runId) ?? []).sort((a, b) => a.from - b.from || a.runId - b.runId);
    for (const child of own) place(child, lane);
  };
  place(root, null);
  return { lanes, rows: rows.length, from, to };
}

/** Index of the first item whose end lies after `at`, in a list sorted by start; for drawing only what is in view. */
export function firstAfter<T>(items: readonly T[], at: number, endOf: (item: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(items[middle] as T) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
