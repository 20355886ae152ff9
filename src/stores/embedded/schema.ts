// One collection's layout: its key columns and indexes, as SQLite has them.
import { Fault } from '../../kernel/fault.ts';
import type { AnyCollectionSpec, IndexOptions, Rollup } from '../../ports/db.ts';
import { duplicate } from '../../ports/duplicate.ts';
import { unsupported } from '../subset/filter.ts';
import { sortKeys } from '../subset/read.ts';
import type { PlainObject } from '../subset/values.ts';
import { type CatalogEntry, entryOf, type SlotKind } from './catalog.ts';
import type { UsableIndex } from './chooser.ts';
import { sameCondition } from './chooser.ts';
import { decodeDocument, encodeFilter } from './codec.ts';
import { checkIndex, columnsOf, type IndexRecord, memberFilter, specOf } from './index-record.ts';
import { type Key, keyOf, keysAt } from './keys.ts';
import { reach } from './paths.ts';
import type { Column } from './planner.ts';
import { layOut, type RollupLayout, rollupTableOf } from './rollup-layout.ts';
import { bucketOf } from './rollup-sums.ts';
import { type Slot, slotOf } from './slot.ts';
import type { Param, Sqlite } from './sqlite.ts';
import { markUnmerged } from './text-merge.ts';
import { foldText, indexText } from './texts.ts';

const namePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,100}$/;
const backfillChunk = 500;
/** Of the documents' table; key columns follow. */
const ownColumns = 'id NOT NULL PRIMARY KEY, doc TEXT NOT NULL';

/** Layout of a collection; creates its tables where they are missing. */
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
  #rollups: RollupLayout[] = [];
  #rollupsText: string | null = null;

  /** @param entry - what the catalog has of it */
  constructor(sqlite: Sqlite, name: string, entry = entryOf(sqlite, name)) {
    if (!namePattern.test(name)) throw unsupported(`The collection name ${JSON.stringify(name)}`);
    this.name = name;
    this.#sqlite = sqlite;
    this.documents = `"d_${name}"`;
    this.elements = `"e_${name}"`;
    if (!entry.isMade)
      sqlite.exec(`CREATE TABLE IF NOT EXISTS ${this.documents} (${ownColumns});
        CREATE TABLE IF NOT EXISTS ${this.elements} (slot INTEGER NOT NULL, key NOT NULL, id NOT NULL,
          PRIMARY KEY (slot, key, id)) WITHOUT ROWID`);
    this.#load(entry);
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

  /** Column that says whether a document meets this condition; null when there is none. */
  member(path: string, condition: unknown): string | null {
    const slot = this.#slots.find((one) => one.filter && sameCondition(one.filter, path, condition));
    return slot ? `k${slot.number}` : null;
  }

  /** Indexes that a read may choose from, that of `_id` first. */
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
    if (slot.bucketMs !== null) {
      const found = reach(document, slot.parts);
      return { key: keyOf(found.many ? null : bucketOf(found.value, slot.bucketMs)), elements: null };
    }
    if (slot.kind === 'text') {
      const found = reach(document, slot.parts);
      return { key: !found.many && typeof found.value === 'string' ? foldText(found.value) : '', elements: null };
    }
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

  /** Drops an index, if it is there; its columns stay. Inside a write. */
  dropIndex(name: string): void {
    const record = this.#indexes.get(name);
    if (!record) return;
    this.#sqlite.atomic(() => {
      this.#sqlite.run(`DROP INDEX IF EXISTS ${this.#sqlName(record)}`);
      this.#sqlite.run('DELETE FROM rivulet_indexes WHERE collection = ? AND name = ?', [this.name, name]);
    });
    this.#load();
  }

  /** Roll-ups: counts and sums that follow the writes. */
  get rollups(): readonly RollupLayout[] {
    return this.#rollups;
  }

  /** The column of a path's folded text, where it is indexed. */
  textColumn(path: string): string | null {
    const slot = this.#slots.find(({ kind, source }) => kind === 'text' && source === path);
    return slot ? `k${slot.number}` : null;
  }

  /** Indexes the text at paths whose columns are there. Inside a write. */
  createTexts(paths: readonly string[]): void {
    for (const path of paths) {
      const column = this.textColumn(path)!;
      const isNew = indexText(this.#sqlite, this.name, this.documents, column);
      markUnmerged(this.#sqlite, { name: this.name, documents: this.documents, column, isNew });
    }
  }

  /** Makes roll-ups unless the same ones are there. Inside a write. */
  createRollups(rollups: readonly Rollup[]): void {
    const text = JSON.stringify(rollups);
    if (text === (this.#rollupsText ?? '[]')) return;
    this.#sqlite.atomic(() => {
      const layouts = rollups.map((rollup, at) => this.#rollupLayout(rollup, at));
      const first = layouts[0]?.columns.by[0] ?? 'id';
      layOut(this.#sqlite, { name: this.name, documents: this.documents, first }, layouts);
      this.#sqlite.run('INSERT OR REPLACE INTO rivulet_rollups (collection, spec) VALUES (?, ?)', [this.name, text]);
    });
    this.#load();
  }

  #rollupLayout(rollup: Rollup, at: number): RollupLayout {
    const column = (path: string) => `k${this.#slotOf(path).number}`;
    const source = JSON.stringify(rollup.per);
    const bucket = this.#slots.find((slot) => slot.bucketMs !== null && slot.source === source);
    column(rollup.per.path);
    return {
      rollup,
      table: rollupTableOf(this.name, at),
      columns: {
        bucket: `k${(bucket ?? this.#addSlot('bucket', source)).number}`,
        by: rollup.by.map(column),
        sums: rollup.sums.map(column),
      },
    };
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

  #addSlot(kind: SlotKind, source: string): Slot {
    this.#addSlots([[kind, source]]);
    return this.#slots.at(-1)!;
  }

  /** Columns that indexes and roll-ups need and that are not there, all in one pass over the documents. Inside a write. */
  addColumns({ indexes, rollups = [], texts = [] }: Omit<AnyCollectionSpec, 'name'>): void {
    const wanted: [SlotKind, string][] = texts.map((path) => ['text', path]);
    for (const { keys, ...options } of indexes) {
      const record = { name: '', keys: sortKeys(keys), ...options };
      const filter = memberFilter(record);
      wanted.push(...record.keys.flatMap(([path]) => (path === '_id' ? [] : [['path', path] as [SlotKind, string]])));
      if (filter) wanted.push(['member', encodeFilter(filter)]);
    }
    for (const { per, by, sums } of rollups) {
      wanted.push(...[per.path, ...by, ...sums].map((path) => ['path', path] as [SlotKind, string]));
      wanted.push(['bucket', JSON.stringify(per)]);
    }
    const known = new Set(this.#slots.map(({ kind, source }) => `${kind} ${source}`));
    const missing = new Map(
      wanted.map(([kind, source]) => [`${kind} ${source}`, [kind, source] as [SlotKind, string]]),
    );
    for (const name of known) missing.delete(name);
    if (missing.size > 0) this.#sqlite.atomic(() => this.#addSlots([...missing.values()]));
  }

  #addSlots(added: readonly [SlotKind, string][]): void {
    const first = this.#slots.length;
    for (const [at, [kind, source]] of added.entries()) {
      const sql = 'INSERT INTO rivulet_slots (collection, slot, kind, source) VALUES (?, ?, ?, ?)';
      this.#sqlite.run(sql, [this.name, first + at, kind, source]);
    }
    this.#addKeyColumns(added.map((_, at) => `k${first + at}`));
    this.#load();
    const slots = this.#slots.slice(first);
    for (let after = 0, rows = this.#rowsAfter(after); rows.length > 0; rows = this.#rowsAfter(after)) {
      for (const [, text] of rows) this.#fill(slots, decodeDocument<PlainObject>(text as string));
      after = rows.at(-1)![0] as number;
    }
  }

  #addKeyColumns(columns: readonly string[]): void {
    const isNew = this.#slots.length === 0 && this.#rowsAfter(0).length === 0;
    if (!isNew) {
      for (const column of columns) this.#sqlite.run(`ALTER TABLE ${this.documents} ADD COLUMN ${column}`);
      return;
    }
    // Each ALTER TABLE has SQLite read the schema of the whole file again: more than half of a first start.
    this.#sqlite.run(`DROP TABLE ${this.documents}`);
    this.#sqlite.run(`CREATE TABLE ${this.documents} (${[ownColumns, ...columns].join()})`);
  }

  #rowsAfter(rowid: number) {
    return this.#sqlite.all(
      `SELECT rowid, doc FROM ${this.documents} WHERE rowid > ? ORDER BY rowid LIMIT ${backfillChunk}`,
      [rowid],
    );
  }

  #fill(slots: readonly Slot[], document: PlainObject): void {
    const id = keyOf(document._id);
    const found = slots.map((slot) => ({ slot, ...this.keys(slot, document) }));
    const columns = found.map(({ slot }) => `k${slot.number} = ?`).join();
    this.#sqlite.run(`UPDATE ${this.documents} SET ${columns} WHERE id = ?`, [...found.map(({ key }) => key), id]);
    for (const { slot, elements } of found) if (elements) this.addElements(slot.number, elements, id);
  }

  #load(entry: CatalogEntry = entryOf(this.#sqlite, this.name)): void {
    const arrays = new Set(this.#slots.filter((slot) => slot.arrays).map((slot) => slot.number));
    if (entry.slots.length > 0) for (const slot of this.#slotsOfElements()) arrays.add(slot);
    this.#slots = [];
    this.#byPath.clear();
    this.#indexes.clear();
    this.#usable = null;
    for (const spec of entry.indexes) {
      const record = decodeDocument<IndexRecord>(spec);
      this.#indexes.set(record.name, record);
    }
    const unique = new Set(
      [...this.#indexes.values()].filter((one) => one.unique).flatMap((one) => one.keys.map(([path]) => path)),
    );
    for (const [number, kind, source] of entry.slots) {
      const isUnique = kind === 'path' && unique.has(source);
      const slot = slotOf({ number, kind, source }, { arrays: arrays.has(number), unique: isUnique });
      this.#slots.push(slot);
      if (slot.path !== null) this.#byPath.set(slot.path, slot);
    }
    this.#rollupsText = entry.rollups;
    const rollups = JSON.parse(entry.rollups ?? '[]') as Rollup[];
    this.#rollups = rollups.map((one, at) => this.#rollupLayout(one, at));
  }

  /** The columns that have elements, each found by a step in the elements' key. */
  *#slotsOfElements(): Generator<number> {
    const sql = `SELECT min(slot) FROM ${this.elements} WHERE slot > ?`;
    const after = (slot: number) => this.#sqlite.get(sql, [slot])?.[0] as number | null;
    for (let slot = after(-1); slot !== null; slot = after(slot)) yield slot;
  }
}
