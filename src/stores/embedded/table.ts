// Writing one collection: each document with its key columns, and the elements of its indexed arrays.
import type { PlainObject } from '../subset/values.ts';
import type { Changes } from './changes.ts';
import { encodeChanged, encodeDocument } from './codec.ts';
import { type Key, keyOf, sameKey } from './keys.ts';
import type { Recent } from './recent.ts';
import type { Rollups } from './rollups.ts';
import type { Schema } from './schema.ts';
import type { Slot } from './slot.ts';
import type { Param, Sqlite } from './sqlite.ts';
import type { TextCounts } from './text-counts.ts';

/** Each of these is one write, to be run inside `Sqlite.write`. */
export interface Table {
  /** Stores a new document. Fault DUPLICATE, VALIDATION_FAILED. */
  insert(document: PlainObject): void;
  /** Writes a changed document over the old one; false when nothing changed. Fault DUPLICATE, VALIDATION_FAILED. */
  update(before: PlainObject, textBefore: string, after: PlainObject): boolean;
  /** The same where only top-level fields are set. */
  set(before: PlainObject, textBefore: string, changes: PlainObject): boolean;
  remove(document: PlainObject): void;
}

interface Beside {
  recent: Recent;
  rollups: Rollups;
  changes: Changes;
  textCounts: TextCounts;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions that share statements, which are prepared once.
export function createTable(sqlite: Sqlite, schema: Schema, { recent, rollups, changes, textCounts }: Beside): Table {
  const { documents } = schema;
  let insertStatement = { slots: -1, sql: '' };

  function insert(document: PlainObject): void {
    rollups.changed();
    changes.note(document);
    const id = keyOf(document._id);
    const params: Param[] = [id, encodeDocument(document)];
    const elements: [slot: number, keys: Key[]][] = [];
    for (const slot of schema.slots) {
      const { key, elements: keys } = schema.keys(slot, document);
      params.push(key);
      if (keys) elements.push([slot.number, keys]);
    }
    const put = () => {
      schema.unique(() => sqlite.run(insertSql(schema.slots.length), params));
      countTexts(null, document);
    };
    // A roll-up that meets a closing store is made after the next start.
    if (rollups.isDue()) sqlite.write(() => rollups.fold()).catch(() => {});
    if (elements.length === 0) {
      put();
      return;
    }
    sqlite.atomic(() => {
      put();
      for (const [slot, keys] of elements) schema.addElements(slot, keys, id);
    });
  }

  function insertSql(slots: number): string {
    if (insertStatement.slots !== slots) {
      const columns = Array.from({ length: slots }, (_, at) => `,k${at}`).join('');
      const sql = `INSERT INTO ${documents} (id,doc${columns}) VALUES (?,?${',?'.repeat(slots)})`;
      insertStatement = { slots, sql };
    }
    return insertStatement.sql;
  }

  const update: Table['update'] = (before, textBefore, after) => {
    recent.forget(keyOf(before._id));
    return write(before, textBefore, after, encodeDocument(after), schema.slots);
  };

  const set: Table['set'] = (before, textBefore, changes) => {
    const { text, document } = encodeChanged(textBefore, before, changes);
    const touched = schema.slots.filter((slot) => slot.fields.some((field) => field in changes));
    const changed = write(before, textBefore, document ?? { ...before, ...changes }, text, touched);
    const id = keyOf(before._id);
    if (document) recent.keep(id, { document, text });
    else recent.forget(id);
    return changed;
  };

  function write(
    before: PlainObject,
    textBefore: string,
    after: PlainObject,
    text: string,
    touched: readonly Slot[],
  ): boolean {
    if (text === textBefore) return false;
    changes.note(before);
    changes.note(after);
    const id = keyOf(before._id);
    const columns = ['doc = ?'];
    const params: Param[] = [text];
    const elements: (() => void)[] = [];
    for (const slot of touched) {
      const old = schema.keys(slot, before);
      const now = schema.keys(slot, after);
      if (!sameKey(old.key, now.key)) {
        columns.push(`k${slot.number} = ?`);
        params.push(now.key);
      }
      if (sameKeys(old.elements, now.elements)) continue;
      elements.push(() => {
        schema.dropElements(slot.number, old.elements ?? [], id);
        schema.addElements(slot.number, now.elements ?? [], id);
      });
    }
    if (columns.length > 1) rollups.changed();
    const sql = `UPDATE ${documents} SET ${columns.join()} WHERE id = ?`;
    const put = () => {
      schema.unique(() => sqlite.run(sql, [...params, id]));
      countTexts(before, after, touched);
    };
    if (elements.length === 0) put();
    else {
      sqlite.atomic(() => {
        put();
        for (const change of elements) change();
      });
    }
    return true;
  }

  function remove(document: PlainObject): void {
    rollups.changed();
    changes.note(document);
    const id = keyOf(document._id);
    recent.forget(id);
    const drop = () => {
      sqlite.run(`DELETE FROM ${documents} WHERE id = ?`, [id]);
      countTexts(document, null);
    };
    const arrays = schema.slots.filter((slot) => slot.arrays);
    if (arrays.length === 0) {
      drop();
      return;
    }
    sqlite.atomic(() => {
      for (const slot of arrays) schema.dropElements(slot.number, schema.keys(slot, document).elements ?? [], id);
      drop();
    });
  }

  function countTexts(before: PlainObject | null, after: PlainObject | null, slots = schema.slots): void {
    for (const slot of slots) {
      if (slot.kind !== 'text') continue;
      const textOf = (document: PlainObject | null) => (document ? (schema.keys(slot, document).key as string) : '');
      textCounts.changed(`k${slot.number}`, textOf(before), textOf(after));
    }
  }

  return { insert, update, set, remove };
}

function sameKeys(a: readonly Key[] | null, b: readonly Key[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((key, at) => sameKey(key, b[at]!));
}
