// A bi-temporal model as simple as can be: everything that was ever said, looked through from the beginning each time.

/** Something that was said of a key at `recordedAt`; `of` names what it corrects. */
export interface Said {
  id: number;
  value: string | null;
  from: number;
  until: number | null;
  recordedAt: number;
}

export interface Held {
  id: number;
  value: string;
  from: number;
  until: number | null;
}

/** The value that held at a moment, as far as it was known at another one. */
export function heldIn(log: readonly Said[], at: number, knownAt: number): Held | null {
  const known = log.map((said, order) => ({ ...said, order })).filter(({ recordedAt }) => recordedAt <= knownAt);
  const newest = new Map<number, (typeof known)[number]>();
  for (const said of known) {
    const before = newest.get(said.id);
    // A correction that does not move a version leaves it where it stood among those of its moment.
    newest.set(said.id, { ...said, order: before?.from === said.from ? before.order : said.order });
  }
  const live = [...newest.values()]
    .filter(({ value }) => value !== null)
    .sort((a, b) => a.from - b.from || a.order - b.order);
  const index = live.findLastIndex(({ from }) => from <= at);
  const one = live[index];
  if (!one) return null;
  const next = live[index + 1]?.from ?? null;
  const until = one.until === null ? next : next === null ? one.until : Math.min(one.until, next);
  return until !== null && until <= at ? null : { id: one.id, value: one.value as string, from: one.from, until };
}
