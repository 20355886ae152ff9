// A collection as one tenant sees it: every filter and every insert carries the tenant by construction.
import type { Collection, Entity, Filter, Stage } from './db.ts';

export interface Tenanted extends Entity {
  tenantId: number;
}

/** Gives the collection of one tenant. */
export type PerTenant<T extends Tenanted> = (tenantId: number) => Collection<T>;

/**
 * Scopes a collection by tenant; nothing outside the tenant can be read or written through the result.
 *
 * @example const notes = perTenant(db.collection(noteSpec)); await notes(caller.tenantId).findOne({ _id: 7 });
 */
export function perTenant<T extends Tenanted>(collection: Collection<T>): PerTenant<T> {
  const make = (tenantId: number): Collection<T> => {
    // Flat where it can be, so that stores see an `_id` at once.
    const within = (filter: Filter<T> = {} as Filter<T>) =>
      ('tenantId' in filter ? { $and: [{ tenantId }, filter] } : { ...filter, tenantId }) as unknown as Filter<T>;
    const owned = (document: T): T => {
      if (document.tenantId !== tenantId) throw new Error('a document of another tenant');
      return document;
    };
    return {
      collectionName: collection.collectionName,
      insertOne: async (document) => collection.insertOne(owned(document)),
      insertMany: async (documents) => collection.insertMany(documents.map(owned)),
      findOne: (filter, options) => collection.findOne(within(filter), options),
      find: (filter, options) => collection.find(within(filter), options),
      countDocuments: (filter) => collection.countDocuments(within(filter)),
      updateOne: (filter, update, options) => collection.updateOne(within(filter), update, options),
      updateMany: (filter, update, options) => collection.updateMany(within(filter), update, options),
      replaceOne: async (filter, document, options) => collection.replaceOne(within(filter), owned(document), options),
      deleteOne: (filter) => collection.deleteOne(within(filter)),
      deleteMany: (filter) => collection.deleteMany(within(filter)),
      findOneAndUpdate: (filter, update, options) => collection.findOneAndUpdate(within(filter), update, options),
      findOneAndDelete: (filter, options) => collection.findOneAndDelete(within(filter), options),
      aggregate: <R>(pipeline: readonly Stage[]) => collection.aggregate<R>(ofTenant(tenantId, pipeline)),
      createIndex: (keys, options) => collection.createIndex(keys, options),
      dropIndex: (name) => collection.dropIndex(name),
    };
  };
  // Requests of one tenant often follow each other.
  let last: { tenantId: number; within: Collection<T> } | null = null;
  return (tenantId) => {
    if (last?.tenantId !== tenantId) last = { tenantId, within: make(tenantId) };
    return last.within;
  };
}

/** One leading `$match`, since that is what stores answer from an index. */
function ofTenant(tenantId: number, pipeline: readonly Stage[]): Stage[] {
  const [first, ...rest] = pipeline;
  if (first && '$match' in first) return [{ $match: { $and: [{ tenantId }, first.$match] } }, ...rest];
  return [{ $match: { tenantId } }, ...pipeline];
}
