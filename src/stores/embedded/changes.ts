// Counts of changes by the value of a field, by which caches of reads by that value are invalidated.
import type { ChangeCount } from '../../ports/db.ts';
import type { PlainObject } from '../subset/values.ts';

export interface Changes {
  /** Count of a field, whose changes are counted from the first call on. */
  of(field: string): ChangeCount;
  /** Counts a change: called with the document before a write, and with the one after it. */
  note(document: PlainObject): void;
}

/** Number of counters of a field. Values may share one: a cache is then invalidated once too often. */
const counters = 1 << 14;

/** Writes are counted before they can be read, whether they are committed or rolled back. */
export function createChanges(): Changes {
  const watched = new Map<string, Float64Array>();
  return {
    of(field) {
      const counts = watched.get(field) ?? new Float64Array(counters);
      watched.set(field, counts);
      return (value) => counts[placeOf(value)]!;
    },
    note(document) {
      for (const [field, counts] of watched) {
        const value = document[field];
        if (typeof value === 'number' || typeof value === 'string') counts[placeOf(value)]! += 1;
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
