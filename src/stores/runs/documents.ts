// Documents with compare-and-set over any Db: a pure decision is written only onto the state it was made for.
import type { Documents } from '../../../runtime/ports.ts';
import type { Collection, Entity, Filter, Update } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { onceScope } from '../../ports/once.ts';

interface Versioned {
  id: number;
  version: number;
}

/** Fields that the store derives from a record for its indexes. */
type Derive<T> = (record: T) => Record<string, unknown>;

/** Fields of `next` that are not those of `now`; values are compared by identity. */
export function changedFields<T extends object>(now: T, next: T): Partial<T> {
  const changed: Partial<T> = {};
  for (const key of Object.keys(next) as (keyof T)[]) if (now[key] !== next[key]) changed[key] = next[key];
  return changed;
}

/**
 * Turns a document that the caller owns into its record: `_id` becomes `id`, and derived fields become undefined.
 *
 * The document itself becomes the record. A copy of its many fields takes longer than reading it from its text, and an
 * object that loses a field is slow from then on.
 */
export function recordOf<T>(document: Entity, derived: readonly string[] = []): T {
  const record = document as unknown as Record<string, unknown>;
  record.id = document._id;
  record._id = undefined;
  for (const name of derived) if (record[name] !== undefined) record[name] = undefined;
  return record as T;
}

export const ofTenant = (tenantId: number | undefined) => (tenantId === undefined ? {} : { tenantId });

/** Compare-and-set documents of a collection; `known` states spare the read unless they are stale. */
export function createDocuments<T extends Versioned>(
  collection: Collection<Entity>,
  derive: Derive<T>,
  derivedFields: readonly string[],
): Documents<T> {
  const read = async (id: number, tenantId?: number): Promise<T | null> => {
    const document = await collection.findOne({ _id: id, ...ofTenant(tenantId) } as Filter<Entity>);
    return document && recordOf<T>(document, derivedFields);
  };
  const write = async (now: T, set: Partial<T>): Promise<T | null> => {
    const next = { ...now, ...set, version: now.version + 1 };
    const fields = { ...changedFields(now, next), ...derive(next) };
    const guard = { _id: now.id, version: now.version } as unknown as Filter<Entity>;
    const { matchedCount } = await collection.updateOne(guard, { $set: fields } as Update<Entity>);
    return matchedCount === 1 ? next : null;
  };
  return {
    get: read,
    async insert(record) {
      const { id, ...fields } = record;
      const document = { ...fields, ...derive(record), _id: id } as Entity;
      try {
        await collection.insertOne(document);
        return onceScope() ? recordOf<T>(document, derivedFields) : record;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return (await read(id)) ?? record;
      }
    },
    async update(id, decide, known) {
      if (known && known.id === id) {
        const set = tryDecide(decide, known);
        const next = set && (await write(known, set));
        if (next) return next;
      }
      for (;;) {
        const now = await read(id);
        const set = now && decide(now);
        if (!now || !set) return null;
        const next = await write(now, set);
        if (next) return next;
      }
    },
  };
}

/** A decision on a state that may be stale: when it refuses or throws, it is made again on the stored state. */
export function tryDecide<T, R>(decide: (now: T) => R | null, known: T): R | null {
  try {
    return decide(known);
  } catch {
    return null;
  }
}
