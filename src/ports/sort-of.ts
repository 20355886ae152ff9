// Turns the `sort` of a list query into a sort of stored fields.
import type { Sort } from './db.ts';

/** `-createdAtUtc` → `{ createdAt: -1 }`: a leading minus is descending, `id` is `_id`, times lose their `Utc`. */
export function sortOf<T>(sort: string): Sort<T> {
  const field = sort.replace(/^-/, '').replace(/Utc$/, '');
  return { [field === 'id' ? '_id' : field]: sort.startsWith('-') ? -1 : 1 } as Sort<T>;
}
