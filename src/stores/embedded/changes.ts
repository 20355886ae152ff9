// Counts of changes by the value of a field: who keeps what was read by that value learns that it may be another.
import type { ChangeCount } from '../../ports/db.ts';
import type { PlainObject } from '../subset/values.ts';

export interface Changes {
  /** The count of a field; from the first time on its changes are counted. */
  of(field: string): ChangeCount;
  /** A document as it was before a write, or as it is after it. */
  note(document: PlainObject): void;
}

/** Counters of a field. Values share them: then one moves for another's change, and what was kept is read again. */
const counters = 1 << 14;

/** Writes are noted before they can be read, whether they stay or are undone. */
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
