// Marks in `seen` of a run: what was done to it once, and is not done again by a repeat.

/** Length from which on marks are found by a table; a shorter list is searched as fast. */
const longFrom = 32;
/** Tables of the newest lists that are long: the root of a wide tree has two marks for each child. */
const tables = new WeakMap<readonly string[], Set<string>>();

export function hasMark(seen: readonly string[], mark: string): boolean {
  if (seen.length < longFrom) return seen.includes(mark);
  let table = tables.get(seen);
  if (!table) {
    table = new Set(seen);
    tables.set(seen, table);
  }
  return table.has(mark);
}

/** The list with more marks; its table goes along, so that the list before needs a new one if it is asked again. */
export function withMarks(seen: readonly string[], ...marks: readonly string[]): string[] {
  const next = [...seen, ...marks];
  const table = tables.get(seen);
  if (!table) return next;
  tables.delete(seen);
  for (const mark of marks) table.add(mark);
  tables.set(next, table);
  return next;
}
