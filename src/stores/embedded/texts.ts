// Substring search of texts: folded as the flag `i` of a pattern folds, and indexed by trigrams.
import { isPlainObject, type PlainObject } from '../subset/values.ts';
import type { Sqlite } from './sqlite.ts';

const folded = new Map<string, string>();

/** Folds a text, so that texts which match case-insensitively (`iu`) become equal. */
export function foldText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: most text is ASCII, which is quick to fold
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  let result = '';
  for (const letter of text.toWellFormed()) result += foldLetter(letter);
  return result;
}

function foldLetter(letter: string): string {
  const known = folded.get(letter);
  if (known !== undefined) return known;
  const upper = letter.toUpperCase();
  // A letter without a single-letter capital is left as it is.
  const lower = ([...upper].length === 1 ? upper : letter).toLowerCase();
  const isSame = /^[\p{L}\p{M}\p{N}]$/u.test(lower) && new RegExp(`^${lower}$`, 'iu').test(letter);
  const found = isSame ? lower : letter;
  folded.set(letter, found);
  return found;
}

/** Text that a condition searches anywhere in a field, ignoring case; null for every other condition. */
export function soughtText(condition: unknown): string | null {
  if (!isPlainObject(condition) || condition.$options !== 'i' || Object.keys(condition).length !== 2) return null;
  const pattern = condition.$regex;
  if (typeof pattern !== 'string' || pattern.startsWith('^') || /(?<!\\)(\\\\)*\$$/.test(pattern)) return null;
  const text = pattern.replace(/\\(.)/gsu, '$1');
  return text === '' || text.includes('\u0000') ? null : foldText(text);
}

/** First text that a filter searches, with its path. */
export function textIn(filter: PlainObject, isText: (path: string) => boolean): { path: string; text: string } | null {
  for (const [path, condition] of Object.entries(filter)) {
    const text = isText(path) ? soughtText(condition) : null;
    if (text !== null) return { path, text };
  }
  return null;
}

/** Texts shorter than this are in no index. */
export const shortestIndexed = 3;

export const textTableOf = (name: string, column: string) => `"f_${name}.${column}"`;

/** The query of an index for one text. */
export const phraseOf = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Creates and fills the index of a column of folded text; false when it exists. Inside a write. */
export function indexText(sqlite: Sqlite, name: string, documents: string, column: string): boolean {
  const table = textTableOf(name, column);
  if (sqlite.get('SELECT 1 FROM sqlite_master WHERE name = ?', [`f_${name}.${column}`])) return false;
  sqlite.run(
    `CREATE VIRTUAL TABLE ${table} USING fts5(${column}, content=${documents}, content_rowid="rowid", tokenize="trigram case_sensitive 1")`,
  );
  sqlite.run(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
  const add = `INSERT INTO ${table} (rowid, ${column}) VALUES (NEW.rowid, NEW.${column});`;
  const drop = `INSERT INTO ${table} (${table}, rowid, ${column}) VALUES ('delete', OLD.rowid, OLD.${column});`;
  const trigger = (kind: string, on: string, body: string) =>
    sqlite.run(`CREATE TRIGGER "t_${name}.${column}.${kind}" AFTER ${on} ON ${documents} BEGIN ${body} END`);
  trigger('added', 'INSERT', add);
  trigger('gone', 'DELETE', drop);
  trigger('changed', `UPDATE OF ${column}`, `${drop} ${add}`);
  return true;
}
