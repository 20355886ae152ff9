// Pieces of the log as they are stored: lines packed together, with what is counted of them beside.
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { LogDomain, SystemLogLevel } from '../contract/enums.ts';
import { defineCollection, type Entity } from '../ports/db.ts';
import { codeOf, domainOf, fieldsOf, type LineFields, levelOf, weightOf } from './entry.ts';

/** Lines of the server itself, which belong to no tenant. */
export const serverTenant = 0;

/** How many lines of one level and domain a minute has. */
export interface LogCount {
  minute: Date;
  level: SystemLogLevel;
  domain: LogDomain;
  count: number;
}

/** An error that was told again and again. */
export interface LogTopError {
  code: string | null;
  domain: LogDomain;
  message: string;
  count: number;
  lastAt: Date;
  lastId: number;
}

/** Errors are the same when they say the same. */
export const errorKey = ({ code, domain, message }: Pick<LogTopError, 'code' | 'domain' | 'message'>): string =>
  `${code} ${domain} ${message}`;

/** What is known of a piece without opening it; its `_id` is the number of its first line. */
export interface LogChunkDoc extends Entity {
  _id: number;
  tenantId: number;
  nodeId: string;
  host: string;
  lastId: number;
  /** Times of its first and its last line. */
  first: Date;
  last: Date;
  lines: number;
  /** Characters of the body as it is stored. */
  size: number;
  counts: LogCount[];
  errors: LogTopError[];
}

/** The lines of a piece, packed. */
export interface LogBodyDoc extends Entity {
  _id: number;
  tenantId: number;
  body: string;
}

export const logChunks = defineCollection<LogChunkDoc>({
  name: 'log_chunks',
  indexes: [
    { keys: { tenantId: 1, lastId: 1 } },
    { keys: { tenantId: 1, _id: 1 } },
    { keys: { tenantId: 1, last: 1 } },
    { keys: { lastId: 1 } },
    { keys: { last: 1 } },
  ],
});
export const logBodies = defineCollection<LogBodyDoc>({
  name: 'log_bodies',
  indexes: [{ keys: { tenantId: 1, _id: 1 } }],
});
/** Up to which number the log of a tenant was deleted. */
export const logFloors = defineCollection<Entity & { _id: number; upTo: number }>({ name: 'log_floors' });

/** A line with its number, ready to be kept. */
export interface NumberedLine {
  id: number;
  text: string;
  /** Null where they stand in the text alone. */
  fields: LineFields | null;
  level: number;
  domain: string;
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** Of lines that are much alike more work saves little. */
const effort = 3;
/** Different errors that one piece counts. */
const mostErrors = 50;
const mostMessage = 300;

export async function packLines(lines: readonly NumberedLine[]): Promise<string> {
  const text = lines.map((line) => `${line.id} ${line.text}`).join('\n');
  return (await deflate(text, { level: effort })).toString('base64');
}

/** The text of a piece: a line each, which begins with its number. */
export const unpackText = async (body: string): Promise<string> =>
  (await inflate(Buffer.from(body, 'base64'))).toString();

/** The time of a line, without reading the rest of it. */
const timeOf = (line: NumberedLine): number => {
  const [, time] = /"time":(\d+)/.exec(line.text) ?? [];
  return Number(time ?? 0);
};

/** What is counted of lines; `before` is what was counted of the piece already. */
export function countLines(
  lines: readonly NumberedLine[],
  before: Pick<LogChunkDoc, 'counts' | 'errors'> = { counts: [], errors: [] },
): Pick<LogChunkDoc, 'counts' | 'errors' | 'first' | 'last'> {
  const keyOf = (one: Omit<LogCount, 'count'>) => `${one.minute.getTime()} ${one.level} ${one.domain}`;
  const counts = new Map(before.counts.map((one) => [keyOf(one), { ...one }]));
  const errors = new Map(before.errors.map((one) => [errorKey(one), { ...one }]));
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const line of lines) {
    const at = timeOf(line);
    first = Math.min(first, at);
    last = Math.max(last, at);
    const level = levelOf(line.level);
    const domain = domainOf(line.domain);
    const about = { minute: new Date(Math.floor(at / 60_000) * 60_000), level, domain };
    const known = counts.get(keyOf(about));
    if (known) known.count++;
    else counts.set(keyOf(about), { ...about, count: 1 });
    if (weightOf(level) >= weightOf('Error')) countError(errors, line, domain, at);
  }
  return {
    counts: [...counts.values()],
    errors: [...errors.values()],
    first: new Date(first),
    last: new Date(last),
  };
}

function countError(errors: Map<string, LogTopError>, line: NumberedLine, domain: LogDomain, at: number): void {
  const fields = line.fields ?? fieldsOf(line.text) ?? {};
  const code = codeOf(fields);
  const message = String(fields.msg ?? '').slice(0, mostMessage);
  const key = errorKey({ code, domain, message });
  const known = errors.get(key);
  if (known) Object.assign(known, { count: known.count + 1, lastAt: new Date(at), lastId: line.id });
  else if (errors.size < mostErrors)
    errors.set(key, { code, domain, message, count: 1, lastAt: new Date(at), lastId: line.id });
}
