// One page of a collection, in a stable order, with the total.
import type { Collection, Entity, Filter, Sort } from './db.ts';

export interface PageOptions<T> {
  filter?: Filter<T>;
  sort?: Sort<T>;
  /** From 1. */
  page: number;
  pageSize: number;
}

/**
 * Reads one page and counts all matches. `_id` breaks ties in the direction of the last sort key, so that no document
 * is on two pages; without a sort the newest ids come first.
 */
export async function pageOf<T extends Entity>(
  collection: Collection<T>,
  { filter = {} as Filter<T>, sort, page, pageSize }: PageOptions<T>,
): Promise<{ items: T[]; totalCount: number }> {
  const [items, totalCount] = await Promise.all([
    collection.find(filter, { sort: withTieBreak(sort), skip: (page - 1) * pageSize, limit: pageSize }).toArray(),
    collection.countDocuments(filter),
  ]);
  return { items, totalCount };
}

function withTieBreak<T extends Entity>(sort: Sort<T> | undefined): Sort<T> {
  const keys = Object.entries(sort ?? {});
  if (keys.some(([key]) => key === '_id')) return sort as Sort<T>;
  return { ...sort, _id: keys.at(-1)?.[1] ?? -1 } as Sort<T>;
}
