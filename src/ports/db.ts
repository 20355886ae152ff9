// The document store as services see it: a typed subset of the MongoDB driver's Db and Collection.
//
// What documents may hold, and every operator that may be used, is closed (stores/subset refuses the rest at run time),
// so that the embedded store and MongoDB behave alike.
import { quote } from '../kernel/patterns.ts';

type Id = number | string;

/** Every stored document has an `_id` that its writer chose. */
export interface Entity {
  _id: Id;
}

type Scalar = string | number | boolean | Date | null;
type ElementOf<V> = V extends readonly (infer E)[] ? E : V;
type Operand<V> = V | ElementOf<V> | null;

/** The operators that may stand against one field. */
interface Comparison<V> {
  $eq?: Operand<V>;
  $ne?: Operand<V>;
  $gt?: Operand<V>;
  $gte?: Operand<V>;
  $lt?: Operand<V>;
  $lte?: Operand<V>;
  $in?: readonly Operand<V>[];
  $nin?: readonly Operand<V>[];
  $exists?: boolean;
  /** `^`? literal text (special characters escaped) `$`?; see `startsWith` and `contains`. */
  $regex?: string;
  $options?: '' | 'i';
  $elemMatch?: ElementOf<V> extends Scalar ? Comparison<ElementOf<V>> : Filter<ElementOf<V>>;
}

type Condition<V> = Operand<V> | Comparison<V>;

/** A path into embedded documents, e.g. `budget.tokensUsed`; its value is not checked by the compiler. */
interface Dotted {
  [path: `${string}.${string}`]: unknown;
}

export type Filter<T> = { [K in keyof T]?: Condition<T[K]> } & {
  $and?: readonly Filter<T>[];
  $or?: readonly Filter<T>[];
} & Dotted;

type KeysOfType<T, V> = { [K in keyof T]-?: Extract<T[K], V> extends never ? never : K }[keyof T];
type ArrayItem<V> = V extends readonly (infer E)[] ? E : never;
type Numbers<T> = { [K in KeysOfType<T, number>]?: number } & Dotted;
type Items<T> = { [K in KeysOfType<T, readonly unknown[]>]?: ArrayItem<T[K]> | { $each: readonly ArrayItem<T[K]>[] } };

/** Changes to one document; each path may appear once. */
export interface Update<T> {
  $set?: Partial<Omit<T, '_id'>> & Dotted;
  $unset?: { [K in keyof T]?: true | '' | 1 } & Dotted;
  $inc?: Numbers<T>;
  $min?: Partial<Omit<T, '_id'>> & Dotted;
  $max?: Partial<Omit<T, '_id'>> & Dotted;
  $push?: Items<T> & Dotted;
  $addToSet?: Items<T> & Dotted;
  /** Removes the elements that equal the value or match the condition. */
  $pull?: { [K in KeysOfType<T, readonly unknown[]>]?: Condition<ArrayItem<T[K]>> | Filter<ArrayItem<T[K]>> } & Dotted;
  /** Applied only where an upsert inserts. */
  $setOnInsert?: Partial<T> & Dotted;
}

type Direction = 1 | -1 | 'asc' | 'desc';
/** Fields in order of weight. Values of one field must be of one type. */
export type Sort<T> = { [K in keyof T]?: Direction } & { [path: `${string}.${string}`]: Direction };
/** Fields to keep (1) or to leave out (0), never both; `_id` may be left out of either. */
export type Projection<T> = { [K in keyof T]?: 0 | 1 | boolean } & { [path: `${string}.${string}`]: 0 | 1 | boolean };

export interface FindOptions<T> {
  sort?: Sort<T>;
  skip?: number;
  limit?: number;
  projection?: Projection<T>;
}

/** A lazy query: it runs when it is read. */
export interface FindCursor<T> extends AsyncIterable<T> {
  sort(sort: Sort<T>): FindCursor<T>;
  skip(count: number): FindCursor<T>;
  /** At most `count` documents; 0 means all. */
  limit(count: number): FindCursor<T>;
  project<P = Partial<T>>(projection: Projection<T>): FindCursor<P>;
  toArray(): Promise<T[]>;
  /** The documents as the text of a JSON array, which a store that keeps texts need not decode. */
  json(): Promise<string>;
  /**
   * What `make` makes of each document, without a projection. `make` looks at nothing else and takes the document over.
   * For an unchanged document a store may return the earlier result of `make`, so callers must not change it. A store
   * that keeps documents as JSON asks `fromText` first, which gives null where it needs the document.
   */
  made<R extends object>(make: (document: T) => R, fromText?: (text: string) => R | null): Promise<R[]>;
}

export interface AggregateCursor<R> extends AsyncIterable<R> {
  toArray(): Promise<R[]>;
}

type Expression = string | number | boolean | null;
type Accumulator =
  | { $sum: string | number }
  | { $avg: string }
  | { $min: string }
  | { $max: string }
  | { $first: string }
  | { $last: string }
  | { $count: Record<string, never> };

/** `'$path'` reads a field; anything else in an expression is a constant. */
export type Stage =
  | { $match: Record<string, unknown> }
  | { $group: { _id: Expression | Record<string, Expression> } & Record<string, unknown | Accumulator> }
  | { $sort: Record<string, Direction> }
  | { $project: Record<string, 0 | 1 | boolean> }
  | { $limit: number }
  | { $skip: number }
  | { $count: string }
  | { $unwind: string | { path: string; preserveNullAndEmptyArrays?: boolean } };

export interface UpdateResult {
  acknowledged: boolean;
  matchedCount: number;
  modifiedCount: number;
  upsertedCount: number;
  upsertedId: unknown;
}

export interface FindOneAndUpdateOptions<T> {
  sort?: Sort<T>;
  projection?: Projection<T>;
  upsert?: boolean;
  /** The document as it was (default) or as it became. */
  returnDocument?: 'before' | 'after';
}

export interface IndexOptions {
  name?: string;
  unique?: boolean;
  /** Only documents that have at least one of the keys. */
  sparse?: boolean;
  /** Only documents that match: equality, `$exists: true` and range conditions. */
  partialFilterExpression?: Record<string, unknown>;
  /** Seconds after which a document goes, counted from the Date in the index's single key; sweeps run once a minute. */
  expireAfterSeconds?: number;
}

export interface IndexSpec<T> extends IndexOptions {
  keys: Sort<T>;
}

/**
 * One kind of documents. Every write is atomic for its one document and durable when its promise resolves; writes of
 * several documents (`insertMany`, `updateMany`, `deleteMany`) may stop after some of them when one fails.
 * Failures: Fault DUPLICATE (unique index), VALIDATION_FAILED (a value or change that can't be stored),
 * STORE_UNAVAILABLE, INTERNAL_ERROR (an operator outside the subset).
 */
export interface Collection<T extends Entity> {
  readonly collectionName: string;
  insertOne(document: T): Promise<{ acknowledged: boolean; insertedId: T['_id'] }>;
  insertMany(documents: readonly T[]): Promise<{ acknowledged: boolean; insertedCount: number }>;
  findOne(filter: Filter<T>, options?: Omit<FindOptions<T>, 'limit'>): Promise<T | null>;
  find(filter?: Filter<T>, options?: FindOptions<T>): FindCursor<T>;
  countDocuments(filter?: Filter<T>): Promise<number>;
  updateOne(filter: Filter<T>, update: Update<T>, options?: { upsert?: boolean }): Promise<UpdateResult>;
  updateMany(filter: Filter<T>, update: Update<T>, options?: { upsert?: boolean }): Promise<UpdateResult>;
  replaceOne(filter: Filter<T>, document: T, options?: { upsert?: boolean }): Promise<UpdateResult>;
  deleteOne(filter: Filter<T>): Promise<{ acknowledged: boolean; deletedCount: number }>;
  deleteMany(filter: Filter<T>): Promise<{ acknowledged: boolean; deletedCount: number }>;
  findOneAndUpdate(filter: Filter<T>, update: Update<T>, options?: FindOneAndUpdateOptions<T>): Promise<T | null>;
  findOneAndDelete(filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort' | 'projection'>): Promise<T | null>;
  aggregate<R = Record<string, unknown>>(pipeline: readonly Stage[]): AggregateCursor<R>;
  /** Makes the index unless it is there; returns its name. */
  createIndex(keys: Sort<T>, options?: IndexOptions): Promise<string>;
  /** Drops the index of this name, if there is one. */
  dropIndex(name: string): Promise<void>;
  /** A number that moves before a write can be read, and may move without one; absent where others write, too. */
  writes?(): number;
}

/**
 * Counts and sums that a store may keep along, so that `countDocuments` and a `$match` with a `$group` over them cost the
 * same however many documents there are. Every document has these fields: `by` holds numbers, strings or null.
 */
export interface Rollup {
  /** A path that holds times, and the length of the buckets that it is cut into, in ms. */
  readonly per: { readonly path: string; readonly ms: number };
  /** What documents are told apart by, the tenant first. */
  readonly by: readonly string[];
  /** Numbers that are added up. */
  readonly sums: readonly string[];
}

/**
 * Fields that are stored encrypted where the document's `sealedBy` names a key; readers and writers see them as they are.
 * Every update that sets one of them sets `sealedBy`, too. Filters and orders see what is stored.
 */
export interface SealedFields {
  /** Fields of text, also one level down in a list: `edits.title`. */
  readonly texts: readonly string[];
  /** Lists of labels, stored as digests beside, so that documents are found by one of them. */
  readonly labels: readonly string[];
}

/** A collection's name, the type of its documents, its indexes and its roll-ups, the smallest first. */
export interface CollectionSpec<T extends Entity> {
  readonly name: string;
  readonly indexes: readonly IndexSpec<T>[];
  readonly rollups?: readonly Rollup[];
  /** Paths of text that is looked for by a part of it (`contains`), which a store may have an index for. */
  readonly texts?: readonly string[];
  readonly sealed?: SealedFields;
  readonly times?: 'ms' | undefined;
  /** Carries the type only; never set. */
  readonly type?: T;
}

/** A collection's declaration whatever its documents are. */
export interface AnyCollectionSpec {
  readonly name: string;
  readonly indexes: readonly (IndexOptions & { keys: object })[];
  readonly rollups?: readonly Rollup[];
  readonly texts?: readonly string[];
  readonly sealed?: SealedFields;
  /** How documents hold times, where it is not as Dates. */
  readonly times?: 'ms' | undefined;
}

/** The writes of one `Db.together`: they act at once, and are undone when a later one fails. */
export interface Writer {
  /** Faults as of `Collection.insertOne`. */
  insert<T extends Entity>(collection: CollectionSpec<T>, document: T): void;
  /** Whether there was a document to change, or one was inserted. Faults as of `Collection.updateOne`. */
  update<T extends Entity>(
    collection: CollectionSpec<T>,
    filter: Filter<T>,
    update: Update<T>,
    options?: { upsert?: boolean },
  ): boolean;
  /** Removes all that match, and returns how many there were. */
  remove<T extends Entity>(collection: CollectionSpec<T>, filter: Filter<T>): number;
}

/** A number that moves before a document with this value at its path is written or removed can be read. */
export type ChangeCount = (value: Id) => number;

/** Documents that a kept text is made of: those whose field is the id of the text, or its group. */
export interface MadeOf {
  readonly collection: AnyCollectionSpec;
  readonly field: string;
  readonly is: 'id' | 'group';
}

/** Texts made of several documents, each kept until one of these is written. */
export interface KeptSpec {
  /** As collections are named. */
  readonly name: string;
  /** What programs that make the same texts have in common: the texts of others are dropped. */
  readonly format: string;
  readonly madeOf: readonly MadeOf[];
}

/** A text and some facts to decide by who may read it; both are stored as they are, not encrypted. */
export interface KeptText<Facts> {
  facts: Facts;
  text: string;
}

export interface KeptTexts<Facts> {
  /** Null where none is kept, or what it is made of was written since. */
  find(id: number): KeptText<Facts> | null;
  /**
   * Keeps what `make` makes from the store, or nothing where it gives null or a document of it is written meanwhile.
   * Resolves to whether it was kept, once it is on the disk.
   */
  keep(id: number, group: number, make: () => Promise<KeptText<Facts> | null>): Promise<boolean>;
}

/** Sizes and counts of a store; null where it does not say. */
export interface StoreFigures {
  version: string | null;
  sizeBytes: number | null;
  /** Bytes of the size that nothing needs. */
  freeBytes: number | null;
  connections: number | null;
  collections: { name: string; items: number; sizeBytes: number | null; indexes: number }[];
}

export interface Db {
  collection<T extends Entity>(source: string | CollectionSpec<T>): Collection<T>;
  /** Makes the indexes of collections that lack them. */
  ensureIndexes(specs: readonly AnyCollectionSpec[]): Promise<void>;
  /**
   * Gives a collection another name, with its indexes, in a time that does not grow with its documents. True when no
   * collection has the old name any more; false, with nothing changed, when the new name is taken or the server does not
   * rename: then `stores/rename.ts` moves the documents.
   */
  renameCollection(from: string, to: string): Promise<boolean>;
  /**
   * Makes the writes of `work` as one, in which nobody sees some without the others, durable when the promise resolves;
   * none of them when it throws. Absent where a store changes one document at a time. `patient` writes, which nobody
   * waits for, may come some milliseconds later, with others.
   */
  together?<R>(work: (writer: Writer) => R, options?: { patient?: boolean }): Promise<R>;
  /**
   * Runs `reads`, of which those that begin before it returns see one moment, and may be made as one; absent where a
   * store makes each by itself.
   */
  gather?<R>(reads: () => Promise<R>): Promise<R>;
  /**
   * Counts the writes of documents by a field, so that what was read by it is known to be unchanged while its count is.
   * The count may move without a write. Absent where others write to the store, too.
   */
  changes?<T extends Entity>(collection: CollectionSpec<T>, field: keyof T & string): ChangeCount;
  /** Opens the texts of a kind, whose collections have their indexes. Absent where others write to the store, too. */
  keptTexts?<Facts>(spec: KeptSpec): KeptTexts<Facts>;
  /**
   * Gives the space of what was deleted back to the disk, in small steps, until it is done or `signal` is aborted; absent
   * where the store does so by itself.
   */
  reclaim?(signal?: AbortSignal): Promise<void>;
  /** Erases what was deleted or overwritten from the disk; absent where the store cannot tell when that is done. */
  scrub?(): Promise<void>;
  /** What the store holds, for operators; counts may be estimates. */
  figures(): Promise<StoreFigures>;
  /** Resolves when the store answers; Fault STORE_UNAVAILABLE otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** How collections are spelled: `agent_notes`. */
export type CollectionName = Lowercase<string>;

/** Fields that hold a time, as their names say. */
type TimeName = 'at' | `${string}${'At' | 'Utc' | 'Until' | 'Since'}`;
/** `number` where a field of `T` or of what is in it holds a time as a number, else `never`. */
type NumericTime<T, Depth extends 0[] = []> = Depth['length'] extends 3
  ? never
  : {
      [K in keyof T & string]-?: K extends TimeName
        ? Extract<T[K], number>
        : NonNullable<T[K]> extends infer V
          ? V extends Scalar
            ? never
            : V extends readonly (infer E extends object)[]
              ? NumericTime<E, [...Depth, 0]>
              : V extends object
                ? NumericTime<V, [...Depth, 0]>
                : never
          : never;
    }[keyof T & string];

/**
 * Documents hold times as Dates, and what does otherwise says so. `ms` stands at the records of `runtime/` and at the
 * log of streams, which are read and written at every step: they hold what `Clock.now` gave. With Dates, each change of a
 * run would cost half as much CPU again (docs/adr/0009), and every run and event of a store would have to be written anew.
 */
export type Times<T> = [NumericTime<T>] extends [never] ? { times?: undefined } : { times: 'ms' };

interface Declared<T> {
  name: CollectionName;
  indexes?: readonly IndexSpec<T>[];
  rollups?: readonly Rollup[];
  texts?: readonly string[];
  sealed?: SealedFields;
  times?: 'ms' | undefined;
}

/**
 * Declares a collection with its indexes.
 *
 * @example const notes = defineCollection<NoteDoc>({ name: 'notes', indexes: [{ keys: { runId: 1, _id: 1 } }] });
 */
export const defineCollection = <T extends Entity>(declared: Declared<T> & Times<T>): CollectionSpec<T> =>
  collectionSpec<T>(declared);

/** For declarations that have checked how their documents hold times. */
export const collectionSpec = <T extends Entity>(declared: Declared<T>): CollectionSpec<T> => ({
  indexes: [],
  ...declared,
});

/** A `$regex` pattern that matches values starting with `text`. */
export function startsWith(text: string): string {
  return `^${quote(text)}`;
}

/** A `$regex` pattern that matches values holding `text`. */
export function contains(text: string): string {
  return quote(text);
}
