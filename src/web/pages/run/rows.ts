// Which rows of a timeline are drawn next: so few new ones in a frame that drawing them never holds up the page.

/** What one frame draws anew: this many lines, or half as many long texts. */
export const drawnAFrame = 4;

interface Rows {
  /** Places of the rows to draw, in order. */
  wanted: readonly number[];
  /** Rows in view. */
  sight: { startIndex: number; endIndex: number };
  isDrawn: (index: number) => boolean;
  /** 1 for a line, 2 for a text. */
  weigh: (index: number) => number;
  /** What may be drawn anew, by weight. */
  room: number;
}

/**
 * The wanted rows that are drawn already, and a few new ones. Rows in sight come first, from the end on, where readers
 * of a live run are.
 */
export function drawable({ wanted, sight, isDrawn, weigh, room }: Rows): number[] {
  const inSight = (index: number) => index >= sight.startIndex && index <= sight.endIndex;
  const fresh = wanted.filter((index) => !isDrawn(index)).reverse();
  const drawn = new Set<number>();
  let weight = 0;
  for (const index of [...fresh.filter(inSight), ...fresh.filter((index) => !inSight(index))]) {
    weight += weigh(index);
    if (weight > room) break;
    drawn.add(index);
  }
  return wanted.filter((index) => isDrawn(index) || drawn.has(index));
}
