// The Collection port over the driver's: the subset is checked first, failures become Faults.
import type { Document, Collection as DriverCollection, Filter, Sort, UpdateFilter } from 'mongodb';
import type {
  AggregateCursor,
  Collection,
  Entity,
  FindCursor,
  FindOneAndUpdateOptions,
  FindOptions,
  IndexOptions,
} from '../../ports/db.ts';
import { checkFilter } from '../subset/filter.ts';
import { checkCount, checkPipeline, projectionPlan, sortKeys } from '../subset/read.ts';
import { checkUpdate, withoutUndefined } from '../subset/update.ts';
import { checkDocument, isPlainObject, type PlainObject } from '../subset/values.ts';
import { guarded, isNotThere, translate } from './errors.ts';

type Found = FindOptions<PlainObject>;
type Change = FindOneAndUpdateOptions<PlainObject>;

/** The port's collection; its methods are documented there. */
export function createCollection<T extends Entity>(driver: DriverCollection): Collection<T> {
  const call = <R>(run: () => Promise<R>) => guarded(driver.collectionName, run);
  const collection = { collectionName: driver.collectionName, ...reads(driver, call), ...writes(driver, call) };
  return collection as unknown as Collection<T>;
}

/** Counts of groups as sums of ones, which say the same and which every server of MongoDB's protocol has. */
function plainCounts(stage: Document): Document {
  const { $group } = stage;
  if (!$group) return stage;
  const plain = ([name, of]: [string, unknown]) => [name, isPlainObject(of) && '$count' in of ? { $sum: 1 } : of];
  return { $group: Object.fromEntries(Object.entries($group).map(plain)) };
}

type Call = <R>(run: () => Promise<R>) => Promise<R>;

function reads(driver: DriverCollection, call: Call) {
  return {
    findOne: async (filter: unknown, options: Found = {}) => {
      const checked = filterOf(filter);
      return call(() => driver.findOne(checked, readOptions(options)));
    },
    find: (filter: unknown = {}, options: Found = {}) => createCursor(driver, filterOf(filter), options),
    countDocuments: async (filter: unknown = {}) => {
      const checked = filterOf(filter);
      return call(() => driver.countDocuments(checked));
    },
    aggregate(pipeline: unknown): AggregateCursor<Document> {
      checkPipeline(pipeline);
      return reading(driver, () => driver.aggregate(pipeline.map(plainCounts)));
    },
  };
}

function writes(driver: DriverCollection, call: Call) {
  return {
    async insertOne(document: unknown) {
      const copy = documentOf(document);
      return call(() => driver.insertOne(copy));
    },
    async insertMany(documents: readonly unknown[]) {
      if (documents.length === 0) return { acknowledged: true, insertedCount: 0 };
      const copies = documents.map(documentOf);
      return call(() => driver.insertMany(copies));
    },
    async updateOne(filter: unknown, update: unknown, { upsert = false }: Change = {}) {
      const [where, changes] = [filterOf(filter), updateOf(update)];
      return call(() => driver.updateOne(where, changes, { upsert }));
    },
    async updateMany(filter: unknown, update: unknown, { upsert = false }: Change = {}) {
      const [where, changes] = [filterOf(filter), updateOf(update)];
      return call(() => driver.updateMany(where, changes, { upsert }));
    },
    async replaceOne(filter: unknown, document: unknown, { upsert = false }: Change = {}) {
      const [where, copy] = [filterOf(filter), documentOf(document)];
      return call(() => driver.replaceOne(where, copy, { upsert }));
    },
    async deleteOne(filter: unknown) {
      const where = filterOf(filter);
      return call(() => driver.deleteOne(where));
    },
    async deleteMany(filter: unknown) {
      const where = filterOf(filter);
      return call(() => driver.deleteMany(where));
    },
    async findOneAndUpdate(filter: unknown, update: unknown, { upsert = false, returnDocument, ...rest }: Change = {}) {
      const [where, changes] = [filterOf(filter), updateOf(update)];
      const options = { ...readOptions(rest), upsert, returnDocument: returnDocument ?? 'before' };
      return call(() => driver.findOneAndUpdate(where, changes, options));
    },
    async findOneAndDelete(filter: unknown, options: Found = {}) {
      const where = filterOf(filter);
      return call(() => driver.findOneAndDelete(where, readOptions(options)));
    },
    async createIndex(keys: object, options: IndexOptions = {}) {
      const pairs = sortKeys(keys);
      if (pairs.length === 1 && pairs[0]![0] === '_id') return options.name ?? pairs[0]!.join('_');
      return call(() => driver.createIndex(Object.fromEntries(pairs), { ...options }));
    },
    async dropIndex(name: string) {
      await call(() => driver.dropIndex(name)).catch((error: unknown) => {
        if (!isNotThere(error)) throw error;
      });
    },
  };
}

function createCursor(driver: DriverCollection, filter: Filter<Document>, options: Found): FindCursor<Document> {
  const settings = { ...options };
  const cursor = {
    sort: (sort: object) => set({ sort: sort as NonNullable<Found['sort']> }),
    skip: (skip: number) => set({ skip }),
    limit: (limit: number) => set({ limit }),
    project: (projection: object) => set({ projection: projection as NonNullable<Found['projection']> }),
    json: async () => JSON.stringify(await cursor.toArray()),
    made: async <R>(make: (document: Document) => R) => (await cursor.toArray()).map(make),
    ...reading(driver, () => driver.find(filter, readOptions(settings))),
  };
  function set(change: Found) {
    Object.assign(settings, change);
    return cursor;
  }
  return cursor as unknown as FindCursor<Document>;
}

interface DriverCursor extends AsyncIterable<Document> {
  toArray(): Promise<Document[]>;
}

function reading(driver: DriverCollection, open: () => DriverCursor): AggregateCursor<Document> {
  return {
    toArray: () => guarded(driver.collectionName, async () => open().toArray()),
    async *[Symbol.asyncIterator]() {
      try {
        yield* open();
      } catch (error) {
        throw translate(driver.collectionName, error);
      }
    },
  };
}

function readOptions({ sort, skip, limit, projection }: Found) {
  checkCount('skip', skip);
  checkCount('limit', limit);
  projectionPlan(projection);
  return {
    ...(sort ? { sort: sortKeys(sort) as Sort } : {}),
    ...(skip ? { skip } : {}),
    ...(limit ? { limit } : {}),
    ...(projection ? { projection } : {}),
  };
}

function filterOf(filter: unknown): Filter<Document> {
  checkFilter(filter);
  return filter;
}

function updateOf(update: unknown): UpdateFilter<Document> {
  checkUpdate(update);
  const changes = withoutUndefined(update);
  return Object.keys(changes).length > 0 ? changes : { $setOnInsert: {} };
}

/** A copy, because the driver puts the `_id` that it makes into what it is given. */
function documentOf(document: unknown): Document {
  checkDocument(document);
  return { ...document };
}
