// Record of an index: its validated keys and options, and what follows from them.
import type { IndexOptions } from '../../ports/db.ts';
import { checkFilter, unsupported } from '../subset/filter.ts';
import { type PlainObject, rank, rankOf } from '../subset/values.ts';
import { encodeFilter } from './codec.ts';

export interface IndexRecord extends IndexOptions {
  name: string;
  keys: [path: string, direction: 1 | -1][];
}

/** The text of an index's declaration, which keeps the types of values in its filter. */
export const specOf = (record: IndexRecord) => encodeFilter(record as unknown as PlainObject);

/** Filter of the documents of an index; null when it holds all. */
export function memberFilter({ sparse, partialFilterExpression, keys }: IndexRecord): PlainObject | null {
  if (partialFilterExpression) return partialFilterExpression;
  return sparse ? { $or: keys.map(([path]) => ({ [path]: { $exists: true } })) } : null;
}

/** Columns of an index: its keys, then the id where equal keys are possible. */
export function columnsOf({ keys, unique }: IndexRecord): [path: string, direction: 1 | -1][] {
  return unique || keys.some(([path]) => path === '_id') ? keys : [...keys, ['_id', keys.at(-1)![1]]];
}

/** Top-level fields that a filter reads. */
export function fieldsOf(filter: PlainObject): string[] {
  return Object.entries(filter).flatMap(([key, condition]) =>
    key === '$and' || key === '$or' ? (condition as PlainObject[]).flatMap(fieldsOf) : [key.split('.', 1)[0]!],
  );
}

const partialOperators = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte']);

export function checkIndex(index: IndexRecord): void {
  const { keys, partialFilterExpression: filter, sparse, expireAfterSeconds: expiry } = index;
  if (keys.length === 0) throw unsupported('An index without keys');
  if (filter !== undefined) {
    checkFilter(filter);
    for (const [path, condition] of Object.entries(filter)) {
      const operators = rankOf(condition) === rank.object ? Object.keys(condition as PlainObject) : [];
      if (path.startsWith('$') || operators.some((one) => !partialOperators.has(one)))
        throw unsupported('This partial index');
    }
    if (sparse) throw unsupported('An index that is sparse and partial');
  }
  if (expiry !== undefined && (keys.length !== 1 || !(expiry >= 0))) throw unsupported('This expiring index');
}
