// Statements with named parameters: values go beside the text, never into it.
import { Fault } from '../kernel/fault.ts';

export type Dialect = 'postgres' | 'mysql' | 'sqlite';

/** Texts, quoted names, comments, dollar quotes and casts, in which a colon means something else; then the parameter. */
const pieces = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|::|:([A-Za-z_]\w*)/g;

/** The same of MySQL: backslashes escape, backticks quote names, and double quotes texts. */
const mysqlPieces =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|(:=)|:([A-Za-z_]\w*)/g;
const piecesOf = (dialect: Dialect) => (dialect === 'mysql' ? mysqlPieces : pieces);

/** A statement without its texts, quoted names and comments, to look for words in. */
export const withoutTexts = (dialect: Dialect, text: string): string =>
  text.replace(piecesOf(dialect), (whole, _, name: string | undefined) => (name === undefined ? ' ' : whole));

/** Names of the parameters of a statement, e.g. `id` of `where id = :id`. */
export const parametersOf = (text: string): string[] => [
  ...new Set([...text.matchAll(pieces)].flatMap(([, , name]) => (name === undefined ? [] : [name]))),
];

/** A statement as its database takes it, with its values in order. @throws Fault VALIDATION_FAILED for one that is missing */
export function bound(dialect: Dialect, text: string, values: Readonly<Record<string, unknown>>) {
  const names: string[] = [];
  const statement = text.replace(piecesOf(dialect), (whole, _, name: string | undefined) => {
    if (name === undefined) return whole;
    if (dialect !== 'postgres') {
      names.push(name);
      return '?';
    }
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: statement, values: names.map((name) => storable(values[name])) };
}

const storable = (value: unknown): unknown =>
  value === undefined ? null : typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

const quoted = (dialect: Dialect, name: string): string => {
  if (name.includes('\0')) throw new Fault('VALIDATION_FAILED', 'A name holds a zero.', { isFinal: true });
  return dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
};

export interface Table {
  schema: string | null;
  name: string;
}

interface Column {
  /** Name of the parameter. */
  name: string;
  column: string;
  isKey: boolean;
}

/** The statement of an endpoint about a table; fields that were not given take no part. @throws Fault VALIDATION_FAILED */
export function tableStatement(
  dialect: Dialect,
  method: string,
  table: Table,
  columns: readonly Column[],
  most: number,
): string {
  const own = (name: string) => quoted(dialect, name);
  const from = table.schema ? `${own(table.schema)}.${own(table.name)}` : own(table.name);
  const is = ({ name, column }: Column) => `${own(column)} = :${name}`;
  const keys = columns.filter(({ isKey }) => isKey);
  const rest = columns.filter(({ isKey }) => !isKey);
  if (method === 'Get' || method === 'Query') {
    const where = columns.length > 0 ? ` WHERE ${columns.map(is).join(' AND ')}` : '';
    return `SELECT * FROM ${from}${where} LIMIT ${most}`;
  }
  if (method === 'Post') {
    if (columns.length === 0) throw lacking('a field');
    const [names, values] = [columns.map(({ column }) => own(column)), columns.map(({ name }) => `:${name}`)];
    return `INSERT INTO ${from} (${names.join(', ')}) VALUES (${values.join(', ')})`;
  }
  if (keys.length === 0) throw lacking('the value of a key');
  const where = keys.map(is).join(' AND ');
  if (method === 'Delete') return `DELETE FROM ${from} WHERE ${where}`;
  if (rest.length === 0) throw lacking('a field to change');
  return `UPDATE ${from} SET ${rest.map(is).join(', ')} WHERE ${where}`;
}

const lacking = (what: string) =>
  new Fault('VALIDATION_FAILED', `This call needs ${what}.`, {
    hint: 'Mark keys with isKey in the field mappings.',
    isFinal: true,
  });
