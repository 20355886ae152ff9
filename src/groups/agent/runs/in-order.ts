// The events of runs in the order in which they happened.

/** Events of several runs as one list; those of a run stay in its order, also where a clock was set back between them. */
export function inOrder<T extends { createdAt: number; id: number; seq: number }>(
  ofRuns: T[][],
  descending: boolean,
): T[] {
  const placed = ofRuns.flatMap((events) => {
    let at = 0;
    return events
      .toSorted((a, b) => a.seq - b.seq || a.id - b.id)
      .map((event) => {
        at = Math.max(at, event.createdAt);
        return { event, at };
      });
  });
  const sign = descending ? -1 : 1;
  placed.sort((a, b) => sign * (a.at - b.at || a.event.seq - b.event.seq || a.event.id - b.event.id));
  return placed.map(({ event }) => event);
}
