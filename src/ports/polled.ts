// Polls: reads that are made again and again, and spared while they would find nothing.
import type { Collection, Entity, Filter, Projection } from './db.ts';

/**
 * A read that is spared once it has found nothing, until somebody writes to its collection. Where others write to the
 * store, too, it is always made. Its arguments may narrow it by the time that passes, by nothing that another call would
 * let through.
 *
 * @param waiting - for a read of what is due: what waits for its time, which comes without a write
 * @example const queued = polled(builds, () => builds.find({ status: 'Queued' }).toArray());
 */
export function polled<T extends Entity, A extends unknown[], R>(
  collection: Pick<Collection<T>, 'find' | 'writes'>,
  read: (...args: A) => Promise<R[]>,
  waiting?: Filter<T>,
): (...args: A) => Promise<R[]> {
  const { writes } = collection;
  if (!writes) return read;
  let nothingAt: number | null = null;
  return async (...args) => {
    const before = writes();
    if (before === nothingAt) return [];
    const found = await read(...args);
    const isOver = found.length === 0 && !(waiting && (await hasAny(collection, waiting)));
    nothingAt = isOver ? before : null;
    return found;
  };
}

/** Whether a collection has a document that matches. */
export const hasAny = async <T extends Entity>(
  collection: Pick<Collection<T>, 'find'>,
  filter: Filter<T>,
): Promise<boolean> =>
  (await collection.find(filter, { limit: 1, projection: { _id: 1 } as Projection<T> }).toArray()).length > 0;
