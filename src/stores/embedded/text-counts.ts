// Cache of the number of documents that hold a searched text: counted once, then updated by each write.
import type { Sqlite } from './sqlite.ts';

export interface TextCounts {
  /** Number of texts of a column that hold a part; `count` computes it on a miss. */
  of(column: string, part: string, count: () => number): number;
  /** Updates the counts for a changed text of a column; '' stands for a document inserted or removed. */
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
  /** Drops counts that a rolled back transaction has changed. */
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
