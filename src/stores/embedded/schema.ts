// One collection's layout: its key columns and indexes, as SQLite has them.
import { Fault } from '../../kernel/fault.ts';
import type { IndexOptions } from '../../ports/db.ts';
import { duplicate } from '../duplicate.ts';
import { checkFilter, unsupported } from '../subset/filter.ts';
import { sortKeys } from '../subset/read.ts';
import { type PlainObject, rank, rankOf } from '../subset/values.ts';
import type { UsableIndex } from './chooser.ts';
import { sameCondition } from './chooser.ts';
import { decodeDocument, encodeFilter } from './codec.ts';
import { type Key, keyOf, keysAt } from './keys.ts';
import { compileFilter, type Predicate } from './matcher.ts';
import type { Column } from './planner.ts';
import type { Param, Sqlite } from './sqlite.ts';

/** A key column: of a path, or, for sparse and partial indexes, of whether a document belongs to the index. */
export interface Slot {
  readonly number: number;
  readonly path: string | null;
  readonly parts: readonly string[];
  readonly member: Predicate | null;
  readonly source: string;
  readonly filter: PlainObject | null;
  /** The document's fields that its key is made of. */
  readonly fields: readonly string[];
  /** Whether the path has ever reached an array. */
  arrays: boolean;
  /** Whether a unique index holds this path; such a path may not reach an array. */
  readonly unique: boolean;
}

interface IndexRecord extends IndexOptions {
  name: string;
  keys: [path: string, direction: 1 | -1][];
}

const namePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,100}$/;
const backfillChunk = 500;

/** Makes the collection's tables where they are missing, and knows their columns. */
export class Schema {
  readonly name: string;
  /** Quoted names: of the documents, and of the elements of indexed arrays. */
  readonly documents: string;
  readonly elements: string;
  readonly #sqlite: Sqlite;
  #slots: Slot[] = [];
  readonly #byPath = new Map<string, Slot>();
  readonly #indexes = new Map<string, IndexRecord>();
  #usable: UsableIndex[] | null = null;

  constructor(sqlite: Sqlite, name: string) {
    if (!namePattern.test(name)) throw unsupported(`The collection name ${JSON.stringify(name)}`);
    this.name = name;
    this.#sqlite = sqlite;
    this.documents = `"d_${name}"`;
    this.elements = `"e_${name}"`;
    sqlite.exec(`CREATE TABLE IF NOT EXISTS ${this.documents} (id NOT NULL PRIMARY KEY, doc TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS ${this.elements} (slot INTEGER NOT NULL, key NOT NULL, id NOT NULL,
        PRIMARY KEY (slot, key, id)) WITHOUT ROWID`);
    this.#load();
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  column(path: string): Column | null {
    if (path === '_id') return { name: 'id', elements: null };
    const slot = this.#byPath.get(path);
    if (!slot) return null;
    return { name: `k${slot.number}`, elements: slot.arrays ? { table: this.elements, slot: slot.number } : null };
  }

  /** The column that says of a document whether it meets this one condition; null when there is none. */
  member(path: string, condition: unknown): string | null {
    const slot = this.#slots.find((one) => one.filter && sameCondition(one.filter, path, condition));
    return slot ? `k${slot.number}` : null;
  }

  /** What a read may choose from: every index, that of `_id` first. */
  get indexes(): readonly UsableIndex[] {
    this.#usable ??= [
      {
        sqlName: `"sqlite_autoindex_d_${this.name}_1"`,
        keys: [{ path: '_id', direction: 1, plain: true }],
        unique: true,
        partial: null,
      },
      ...[...this.#indexes.values()].map((record) => this.#usableIndex(record)),
    ];
    return this.#usable;
  }

  #usableIndex(record: IndexRecord): UsableIndex {
    const { unique = false } = record;
    const filter = memberFilter(record);
    const member = filter && this.#slots.findLast((slot) => slot.member && slot.source === encodeFilter(filter));
    return {
      sqlName: this.#sqlName(record),
      keys: columnsOf(record).map(([path, direction]) => ({
        path,
        direction,
        plain: path === '_id' || this.#byPath.get(path)?.arrays === false,
      })),
      unique,
      partial: member && filter ? { column: `k${member.number}`, filter } : null,
    };
  }

  #sqlName(record: IndexRecord): string {
    return `"i_${this.name}.${record.name.replaceAll('"', '')}"`;
  }

  /** The indexes whose documents expire. */
  get expiring(): { path: string; afterSeconds: number }[] {
    return [...this.#indexes.values()].flatMap(({ keys, expireAfterSeconds }) =>
      expireAfterSeconds === undefined ? [] : [{ path: keys[0]![0], afterSeconds: expireAfterSeconds }],
    );
  }

  /** The keys of a document in one slot; notes when a path reaches an array. */
  keys(slot: Slot, document: PlainObject): { key: Key | null; elements: Key[] | null } {
    if (slot.member) return { key: slot.member(document) ? 1 : null, elements: null };
    const found = keysAt(document, slot.parts);
    if (!found.elements) return found;
    if (slot.unique) {
      throw new Fault('VALIDATION_FAILED', `${slot.path} must be unique in ${this.name}, so it can't be an array.`);
    }
    slot.arrays = true;
    this.#usable = null;
    return found;
  }

  addElements(slot: number, keys: readonly Key[], id: Param): void {
    const sql = `INSERT OR IGNORE INTO ${this.elements} VALUES (?, ?, ?)`;
    for (const key of keys) this.#sqlite.run(sql, [slot, key, id]);
  }

  dropElements(slot: number, keys: readonly Key[], id: Param): void {
    const sql = `DELETE FROM ${this.elements} WHERE slot = ? AND key = ? AND id = ?`;
    for (const key of keys) this.#sqlite.run(sql, [slot, key, id]);
  }

  /** Makes an index unless the same one is there; one of the same name and another form is replaced. Inside a write. */
  createIndex(keySpec: object, options: IndexOptions): string {
    const keys = sortKeys(keySpec);
    const { name = keys.map((key) => key.join('_')).join('_'), ...rest } = options;
    const record: IndexRecord = { name, keys, ...rest };
    checkIndex(record);
    if (keys.length === 1 && keys[0]![0] === '_id' && !memberFilter(record)) return name;
    const known = this.#indexes.get(name);
    if (known && specOf(known) === specOf(record)) return name;
    try {
      this.#sqlite.atomic(() => this.#build(record));
    } finally {
      this.#load();
    }
    return name;
  }

  /** Runs a statement; a violated unique index becomes Fault DUPLICATE with the paths' names. */
  unique<R>(run: () => R): R {
    try {
      return run();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== 'SQLITE_CONSTRAINT_UNIQUE' && code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw error;
      throw duplicate(this.name, this.#violated((error as Error).message), error);
    }
  }

  /** The paths named by SQLite's message, e.g. `UNIQUE constraint failed: d_runs.k3`. */
  #violated(message: string): string {
    const columns = [...message.matchAll(/\.(id|k\d+)\b/g)].map(([, column]) => column!);
    const path = (column: string) => (column === 'id' ? '_id' : (this.#slots[Number(column.slice(1))]?.path ?? column));
    return columns.map(path).join(' and ');
  }

  #build(record: IndexRecord): void {
    const slots = record.keys.map(([path]) => (path === '_id' ? null : this.#slotOf(path)));
    if (record.unique && slots.some((slot) => slot?.arrays)) throw unsupported('A unique index over arrays');
    const member = this.#memberSlot(record);
    const columns = columnsOf(record).map(
      ([path, way]) => `${path === '_id' ? 'id' : `k${this.#slotOf(path).number}`}${way < 0 ? ' DESC' : ''}`,
    );
    const sqlIndex = this.#sqlName(record);
    this.#sqlite.run(`DROP INDEX IF EXISTS ${sqlIndex}`);
    this.unique(() =>
      this.#sqlite.run(
        `CREATE ${record.unique ? 'UNIQUE ' : ''}INDEX ${sqlIndex} ON ${this.documents} (${columns.join()})${
          member ? ` WHERE k${member.number} = 1` : ''
        }`,
      ),
    );
    this.#sqlite.run('INSERT OR REPLACE INTO rivulet_indexes (collection, name, spec) VALUES (?, ?, ?)', [
      this.name,
      record.name,
      specOf(record),
    ]);
  }

  /** The column of a path, made and filled if need be. */
  #slotOf(path: string): Slot {
    return this.#byPath.get(path) ?? this.#addSlot('path', path);
  }

  #memberSlot(record: IndexRecord): Slot | null {
    const filter = memberFilter(record);
    if (!filter) return null;
    const source = encodeFilter(filter);
    return this.#slots.find((slot) => slot.member && slot.source === source) ?? this.#addSlot('member', source);
  }

  #addSlot(kind: 'path' | 'member', source: string): Slot {
    const number = this.#slots.length;
    this.#sqlite.run('INSERT INTO rivulet_slots (collection, slot, kind, source) VALUES (?, ?, ?, ?)', [
      this.name,
      number,
      kind,
      source,
    ]);
    this.#sqlite.run(`ALTER TABLE ${this.documents} ADD COLUMN k${number}`);
    this.#load();
    const slot = this.#slots[number]!;
    for (let after = 0, rows = this.#rowsAfter(after); rows.length > 0; rows = this.#rowsAfter(after)) {
      for (const [, text] of rows) this.#fill(slot, decodeDocument<PlainObject>(text as string));
      after = rows.at(-1)![0] as number;
    }
    return slot;
  }

  #rowsAfter(rowid: number) {
    return this.#sqlite.all(
      `SELECT rowid, doc FROM ${this.documents} WHERE rowid > ? ORDER BY rowid LIMIT ${backfillChunk}`,
      [rowid],
    );
  }

  #fill(slot: Slot, document: PlainObject): void {
    const id = keyOf(document._id);
    const { key, elements } = this.keys(slot, document);
    this.#sqlite.run(`UPDATE ${this.documents} SET k${slot.number} = ? WHERE id = ?`, [key, id]);
    if (elements) this.addElements(slot.number, elements, id);
  }

  #load(): void {
    const arrays = new Set(this.#slots.filter((slot) => slot.arrays).map((slot) => slot.number));
    this.#slots = [];
    this.#byPath.clear();
    this.#indexes.clear();
    this.#usable = null;
    for (const [spec] of this.#sqlite.all('SELECT spec FROM rivulet_indexes WHERE collection = ?', [this.name])) {
      const record = decodeDocument<IndexRecord>(spec as string);
      this.#indexes.set(record.name, record);
    }
    const unique = new Set(
      [...this.#indexes.values()].filter((one) => one.unique).flatMap((one) => one.keys.map(([path]) => path)),
    );
    const rows = this.#sqlite.all('SELECT slot, kind, source FROM rivulet_slots WHERE collection = ? ORDER BY slot', [
      this.name,
    ]);
    for (const [number, kind, source] of rows as [number, string, string][]) {
      const path = kind === 'path' ? source : null;
      const parts = path?.split('.') ?? [];
      const filter = path === null ? decodeDocument<PlainObject>(source) : null;
      const slot: Slot = {
        number,
        path,
        parts,
        source,
        filter,
        member: filter && compileFilter(filter),
        fields: filter ? fieldsOf(filter) : parts.slice(0, 1),
        arrays:
          arrays.has(number) ||
          Boolean(this.#sqlite.get(`SELECT 1 FROM ${this.elements} WHERE slot = ? LIMIT 1`, [number])),
        unique: path !== null && unique.has(path),
      };
      this.#slots.push(slot);
      if (path !== null) this.#byPath.set(path, slot);
    }
  }
}

/** The text of an index's declaration, which keeps the types of values in its filter. */
const specOf = (record: IndexRecord) => encodeFilter(record as unknown as PlainObject);

/** The filter of the documents that an index holds; null when it holds all. */
function memberFilter({ sparse, partialFilterExpression, keys }: IndexRecord): PlainObject | null {
  if (partialFilterExpression) return partialFilterExpression;
  return sparse ? { $or: keys.map(([path]) => ({ [path]: { $exists: true } })) } : null;
}

/** The columns of an index: its keys, and the id where they may leave an order open. */
function columnsOf({ keys, unique }: IndexRecord): [path: string, direction: 1 | -1][] {
  return unique || keys.some(([path]) => path === '_id') ? keys : [...keys, ['_id', keys.at(-1)![1]]];
}

/** The top-level fields that a filter looks at. */
function fieldsOf(filter: PlainObject): string[] {
  return Object.entries(filter).flatMap(([key, condition]) =>
    key === '$and' || key === '$or' ? (condition as PlainObject[]).flatMap(fieldsOf) : [key.split('.', 1)[0]!],
  );
}

const partialOperators = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte']);

function checkIndex(index: IndexRecord): void {
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
