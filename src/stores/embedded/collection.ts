// The Collection port over one table.
import { setImmediate } from 'node:timers/promises';
import type {
  AggregateCursor,
  Collection,
  Entity,
  FindCursor,
  FindOptions,
  IndexOptions,
  Projection,
  Sort,
  UpdateResult,
} from '../../ports/db.ts';
import { checkFilter, unsupported } from '../subset/filter.ts';
import { newObjectId } from '../subset/object-id.ts';
import { checkPipeline, projectionPlan } from '../subset/read.ts';
import { checkUpdate } from '../subset/update.ts';
import { checkDocument, checkId, equalValues, isPlainObject, type PlainObject } from '../subset/values.ts';
import { runPipeline } from './aggregate.ts';
import type { Changes } from './changes.ts';
import { decodeDocument } from './codec.ts';
import type { Gathered } from './gathered.ts';
import type { FromText, Make } from './made.ts';
import { changeMany } from './many.ts';
import { compileProjection } from './projector.ts';
import { createReader, documentsOf, type Query, type Reader } from './query.ts';
import { createRecent, type Found } from './recent.ts';
import { createRollups, groupFromRollups, type Rollups } from './rollups.ts';
import type { Schema } from './schema.ts';
import type { Sqlite } from './sqlite.ts';
import { createTable, type Table } from './table.ts';
import { createTextCounts } from './text-counts.ts';
import { applyUpdate, upsertBase } from './updater.ts';

/** Documents that are read together to be removed. */
const removedAtOnce = 500;
/** Documents that a walk reads in one turn of the event loop. */
const walkTurn = 128;

interface Context {
  sqlite: Sqlite;
  schema: Schema;
  rollups: Rollups;
  table: Table;
  reader: Reader;
}

/** Writes within a write that is under way; see the port's `Writer`. */
export interface DirectWrites {
  insert(document: unknown): void;
  update(filter: unknown, operators: unknown, options?: { upsert?: boolean }): UpdateResult;
  remove(filter: unknown): Removed;
}

interface Removed {
  acknowledged: boolean;
  deletedCount: number;
}

/** The port's collection, whose methods are documented there, and its writes by themselves. */
export function createCollection<T extends Entity>(
  sqlite: Sqlite,
  schema: Schema,
  changes: Changes,
  gathered: Gathered,
): { collection: Collection<T>; direct: DirectWrites } {
  const recent = createRecent(sqlite);
  const rollups = createRollups(sqlite, schema);
  const textCounts = createTextCounts(sqlite);
  const context: Context = {
    sqlite,
    schema,
    rollups,
    table: createTable(sqlite, schema, { recent, rollups, changes, textCounts }),
    reader: createReader(sqlite, schema, { recent, rollups, textCounts, gathered }),
  };
  const changer = createChanger(context);
  const remove = createRemover(context);
  const collection = {
    collectionName: schema.name,
    ...reads(context),
    ...writes(context, remove),
    ...changesOf(context, changer),
    writes: changes.all,
  };
  const direct: DirectWrites = {
    insert: (document) => context.table.insert(withId(document)),
    update(filter, operators, { upsert = false } = {}) {
      checkFilter(filter);
      checkUpdate(operators);
      return changer.updateFirst(filter, operators, upsert);
    },
    remove(filter) {
      let deletedCount = 0;
      for (let more = true; more; ) {
        // Nothing else is read within a write, so that the answer is there at once.
        const some = context.reader.documents({ ...allOf(filter), limit: removedAtOnce }) as PlainObject[];
        deletedCount += remove(some).deletedCount;
        more = some.length === removedAtOnce;
      }
      return { acknowledged: true, deletedCount };
    },
  };
  return { collection: collection as unknown as Collection<T>, direct };
}

function reads({ reader, rollups }: Context) {
  return {
    async findOne(filter: unknown, { sort, skip = 0, projection }: FindOptions<PlainObject> = {}) {
      const reading = reader.documents({ filter: filterOf(filter), sort, skip, limit: 1 });
      const [found] = Array.isArray(reading) ? reading : await reading;
      return found ? compileProjection(projectionPlan(projection))(found) : null;
    },
    find: (filter: unknown = {}, options: FindOptions<PlainObject> = {}) =>
      new Cursor(reader, filterOf(filter), options) as unknown as FindCursor<PlainObject>,
    countDocuments: async (filter: unknown = {}) => reader.count(filter),
    aggregate(pipeline: unknown): AggregateCursor<PlainObject> {
      checkPipeline(pipeline);
      const matched = pipeline[0] && '$match' in pipeline[0] ? (pipeline[0].$match as PlainObject) : null;
      return lazily(() => {
        const grouped = matched && groupFromRollups(rollups, matched, pipeline[1]);
        if (grouped) return runPipeline(grouped, pipeline.slice(2));
        const found = reader.find({ filter: matched ?? {}, sort: undefined, skip: 0, limit: 0 });
        return runPipeline(documentsOf(found), matched ? pipeline.slice(1) : pipeline);
      });
    },
  };
}

/** Removes what was found, inside a write. */
const createRemover =
  ({ table }: Context) =>
  (documents: readonly PlainObject[]): Removed => {
    for (const document of documents) table.remove(document);
    return { acknowledged: true, deletedCount: documents.length };
  };

function writes(context: Context, remove: ReturnType<typeof createRemover>) {
  const { sqlite, schema, table, reader } = context;
  return {
    async insertOne(document: unknown) {
      const complete = withId(document);
      await sqlite.write(() => table.insert(complete));
      return { acknowledged: true, insertedId: complete._id };
    },
    async insertMany(documents: readonly unknown[]) {
      const complete = documents.map(withId);
      await sqlite.write(() =>
        sqlite.atomic(() => {
          for (const document of complete) table.insert(document);
        }),
      );
      return { acknowledged: true, insertedCount: complete.length };
    },
    deleteOne: async (filter: unknown) =>
      sqlite.write(() => remove(documentsOf(reader.find({ ...allOf(filter), limit: 1 })))),
    async deleteMany(filter: unknown) {
      const removed = await changeMany(context, filterOf(filter), (found) => remove(documentsOf(found)));
      return { acknowledged: true, deletedCount: removed.reduce((sum, { deletedCount }) => sum + deletedCount, 0) };
    },
    createIndex: async (keys: object, options: IndexOptions = {}) =>
      sqlite.write(() => schema.createIndex(keys, options), { repeatable: false }),
    dropIndex: async (name: string) => sqlite.write(() => schema.dropIndex(name), { repeatable: false }),
  };
}

interface ChangeOptions {
  upsert?: boolean;
  sort?: Sort<PlainObject>;
  projection?: Projection<PlainObject>;
  returnDocument?: 'before' | 'after';
}

/** Changes of documents, to be made inside a write. */
function createChanger({ table, reader }: Context) {
  const change = ({ document, text }: Found, update: Record<string, PlainObject>) => {
    const after = decodeDocument<PlainObject>(text);
    applyUpdate(after, update, false);
    return { after, changed: table.update(document, text, after) };
  };

  /** A change whose result is not read. */
  const changeOnly = (found: Found, update: Record<string, PlainObject>): boolean => {
    const fields = topLevelSet(update);
    return fields ? table.set(found.document, found.text, fields) : change(found, update).changed;
  };

  const upsert = (filter: PlainObject, update: Record<string, PlainObject>) => {
    const document = upsertBase(filter);
    applyUpdate(document, update, true);
    const complete = withId(document);
    table.insert(complete);
    return complete;
  };

  const updateFirst = (filter: PlainObject, update: Record<string, PlainObject>, inserts: boolean): UpdateResult => {
    const found = reader.toChange(filter);
    if (found) return updated(1, Number(changeOnly(found, update)));
    return inserts ? upserted(upsert(filter, update)._id) : updated(0, 0);
  };

  return { change, changeOnly, upsert, updateFirst };
}

function changesOf(context: Context, changer: ReturnType<typeof createChanger>) {
  const { sqlite, table, reader } = context;
  const { change, changeOnly, upsert, updateFirst } = changer;
  return {
    async updateOne(filter: unknown, operators: unknown, { upsert: inserts = false }: ChangeOptions = {}) {
      checkFilter(filter);
      checkUpdate(operators);
      return sqlite.write(() => updateFirst(filter, operators, inserts));
    },

    async updateMany(filter: unknown, operators: unknown, { upsert: inserts = false }: ChangeOptions = {}) {
      checkFilter(filter);
      checkUpdate(operators);
      const done = await changeMany(context, filter, (found) => {
        if (found.length === 0 && inserts) return upserted(upsert(filter, operators)._id);
        return updated(found.length, found.filter((one) => changeOnly(one, operators)).length);
      });
      const sum = (of: 'matchedCount' | 'modifiedCount') => done.reduce((all, part) => all + part[of], 0);
      return { ...(done[0] ?? updated(0, 0)), matchedCount: sum('matchedCount'), modifiedCount: sum('modifiedCount') };
    },

    async replaceOne(filter: unknown, document: unknown, { upsert: inserts = false }: ChangeOptions = {}) {
      checkFilter(filter);
      const next = checked(document);
      return sqlite.write(() => {
        const found = reader.first(filter);
        if (!found) {
          if (!inserts) return updated(0, 0);
          const complete = withId({ ...idOf(upsertBase(filter)), ...next });
          table.insert(complete);
          return upserted(complete._id);
        }
        if (next._id !== undefined && !equalValues(next._id, found.document._id)) throw unsupported('A change of _id');
        return updated(1, Number(table.update(found.document, found.text, { ...idOf(found.document), ...next })));
      });
    },

    async findOneAndUpdate(filter: unknown, operators: unknown, options: ChangeOptions = {}) {
      checkFilter(filter);
      checkUpdate(operators);
      const project = compileProjection(projectionPlan(options.projection));
      const wantsAfter = options.returnDocument === 'after';
      return sqlite.write(() => {
        const found = reader.first(filter, options.sort);
        if (found) {
          const { after } = change(found, operators);
          return project(wantsAfter ? after : found.document);
        }
        if (!options.upsert) return null;
        const inserted = upsert(filter, operators);
        return wantsAfter ? project(inserted) : null;
      });
    },

    async findOneAndDelete(filter: unknown, options: ChangeOptions = {}) {
      checkFilter(filter);
      const project = compileProjection(projectionPlan(options.projection));
      return sqlite.write(() => {
        const found = reader.first(filter, options.sort);
        if (!found) return null;
        table.remove(found.document);
        return project(found.document);
      });
    },
  };
}

/** What an update sets, when all it does is to set top-level fields other than `_id`; else null. */
function topLevelSet(update: Record<string, PlainObject>): PlainObject | null {
  const { $set } = update;
  if (!$set || Object.keys(update).length > 1) return null;
  const paths = Object.keys($set);
  if (paths.some((path) => path === '_id' || path.includes('.'))) return null;
  if (paths.every((path) => $set[path] !== undefined)) return $set;
  return Object.fromEntries(Object.entries($set).filter(([, value]) => value !== undefined));
}

/** A class, since several are made for each request: functions of their own would be made each time. */
class Cursor {
  readonly #reader: Reader;
  readonly #filter: PlainObject;
  #options: FindOptions<PlainObject>;

  constructor(reader: Reader, filter: PlainObject, options: FindOptions<PlainObject>) {
    this.#reader = reader;
    this.#filter = filter;
    this.#options = options;
  }

  sort(sort: Sort<PlainObject>) {
    return this.#set({ sort });
  }

  skip(skip: number) {
    return this.#set({ skip });
  }

  limit(limit: number) {
    return this.#set({ limit });
  }

  project(projection: Projection<PlainObject>) {
    return this.#set({ projection });
  }

  async toArray(): Promise<PlainObject[]> {
    const { projection } = this.#options;
    const query = this.#query();
    const kept = projection === undefined ? null : keptFields(projection);
    const fields = kept && this.#reader.fields(query, kept);
    if (fields) return fields;
    const reading = this.#reader.documents(query);
    const found = Array.isArray(reading) ? reading : await reading;
    return projection === undefined ? found : found.map(compileProjection(projectionPlan(projection)));
  }

  async json(): Promise<string> {
    return this.#options.projection ? JSON.stringify(await this.toArray()) : this.#reader.json(this.#query());
  }

  async made(make: Make, fromText?: FromText): Promise<object[]> {
    return this.#reader.made(this.#query(), make, fromText);
  }

  async *[Symbol.asyncIterator]() {
    const project = compileProjection(projectionPlan(this.#options.projection));
    let walked = 0;
    for (const document of this.#reader.walk(this.#query())) {
      // A long read yields to the event loop.
      if (++walked % walkTurn === 0) await setImmediate();
      yield project(document);
    }
  }

  #query(): Query {
    const { sort, skip = 0, limit = 0 } = this.#options;
    return { filter: this.#filter, sort, skip, limit };
  }

  #set(change: FindOptions<PlainObject>): this {
    this.#options = { ...this.#options, ...change };
    return this;
  }
}

/** The fields that a projection keeps beside `_id`, where all are named by themselves; else null. */
function keptFields(projection: unknown): string[] | null {
  const plan = projectionPlan(projection);
  return plan?.keep && plan.withId && plan.paths.every((path) => !path.includes('.')) ? plan.paths : null;
}

function lazily<R>(run: () => R[]): AggregateCursor<R> {
  return {
    toArray: async () => run(),
    async *[Symbol.asyncIterator]() {
      yield* run();
    },
  };
}

const idOf = ({ _id }: PlainObject): PlainObject => (_id === undefined ? {} : { _id });

function filterOf(filter: unknown): PlainObject {
  checkFilter(filter);
  return filter;
}

const allOf = (filter: unknown): Query => ({ filter: filterOf(filter), sort: undefined, skip: 0, limit: 0 });

function checked(document: unknown): PlainObject {
  if (!isPlainObject(document)) checkDocument(document);
  else if (document._id !== undefined) checkId(document._id);
  return document as PlainObject;
}

/** The document itself where it has an `_id`; else a copy with a new ObjectId in front, as the driver makes it. */
function withId(document: unknown): PlainObject {
  const known = checked(document);
  return known._id === undefined ? { _id: newObjectId(), ...known } : known;
}

function updated(matchedCount: number, modifiedCount: number): UpdateResult {
  return { acknowledged: true, matchedCount, modifiedCount, upsertedCount: 0, upsertedId: null };
}

function upserted(upsertedId: unknown): UpdateResult {
  return { acknowledged: true, matchedCount: 0, modifiedCount: 0, upsertedCount: 1, upsertedId };
}
