// How many documents hold a text that was searched for lately: counted once, and kept along with each write.
import type { Sqlite } from './sqlite.ts';

export interface TextCounts {
  /** How many texts of a column hold a part; `count` counts them where that is not known. */
  of(column: string, part: string, count: () => number): number;
  /** Another text stands in a column; '' where a document has come or gone. */
  changed(column: string, before: string, after: string): void;
}

interface Counted {
  column: string;
  part: string;
  count: number;
}

const kept = 50;

export function createTextCounts(sqlite: Sqlite): TextCounts {
  const counts = new Map<string, Counted>();
  let { rollbacks } = sqlite;
  /** What was written by a transaction that was rolled back is counted anew. */
  const dropUndone = () => {
    if (rollbacks !== sqlite.rollbacks) counts.clear();
    rollbacks = sqlite.rollbacks;
  };
  return {
    of(column, part, count) {
      dropUndone();
      const name = `${column} ${part}`;
      const known = counts.get(name) ?? { column, part, count: count() };
      counts.delete(name);
      counts.set(name, known);
      if (counts.size > kept) counts.delete(counts.keys().next().value!);
      return known.count;
    },
    changed(column, before, after) {
      dropUndone();
      for (const one of counts.values())
        if (one.column === column) one.count += Number(after.includes(one.part)) - Number(before.includes(one.part));
    },
  };
}
