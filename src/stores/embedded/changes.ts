// Counts of changes by the value of a field, by which caches of reads by that value are invalidated.
import type { ChangeCount } from '../../ports/db.ts';
import type { PlainObject } from '../subset/values.ts';

export interface Changes {
  /** Count of a field, whose changes are counted from the first call on. */
  of(field: string): ChangeCount;
  /** Counts a change: called with the document before a write, and with the one after it. */
  note(document: PlainObject): void;
  /** The count of all changes. */
  all(): number;
}

/** Number of counters of a field. Values may share one: a cache is then invalidated once too often. */
const counters = 1 << 14;

/** Writes are counted before they can be read, whether they are committed or rolled back. */
export function createChanges(): Changes {
  /** Counters of a field are made when a first document counts: most servers watch more than they write. */
  const watched = new Map<string, Float64Array | null>();
  let all = 0;
  return {
    of(field) {
      if (!watched.has(field)) watched.set(field, null);
      return (value) => watched.get(field)?.[placeOf(value)] ?? 0;
    },
    all: () => all,
    note(document) {
      all++;
      for (const [field, known] of watched) {
        const value = document[field];
        if (typeof value !== 'number' && typeof value !== 'string') continue;
        const counts = known ?? new Float64Array(counters);
        if (!known) watched.set(field, counts);
        counts[placeOf(value)]! += 1;
      }
    },
  };
}

function placeOf(value: number | string): number {
  if (typeof value === 'number') return Math.abs(Math.trunc(value)) % counters;
  let hash = 0;
  for (let at = 0; at < value.length; at++) hash = (Math.imul(hash, 31) + value.charCodeAt(at)) >>> 0;
  return hash % counters;
}
