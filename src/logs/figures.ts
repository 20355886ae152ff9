// Counts log lines over time, from what is counted of each piece: no line is read for it.
import type { LogDomain, SystemLogLevel } from '../contract/enums.ts';
import { errorKey, type LogTopError } from './chunk.ts';
import type { LogFilter } from './entry.ts';
import type { LogFinder } from './finder.ts';

export interface LogFigures {
  total: number;
  byLevel: Map<SystemLogLevel, number>;
  byDomain: Map<LogDomain, number>;
  /** Counts by level of each bucket, by its start in ms. */
  points: Map<number, Map<SystemLogLevel, number>>;
  errors: LogTopError[];
}

const minuteMs = 60_000;
const mostErrors = 20;

/** Lines from `from` to `to`, both by their minutes. `startOf` gives the start of the bucket that holds a time. */
export async function countLog(
  finder: Pick<LogFinder, 'chunks'>,
  tenants: readonly number[],
  { from, to, domain }: { from: number; to: number } & Pick<LogFilter, 'domain'>,
  startOf: (at: number) => number,
): Promise<LogFigures> {
  const figures: LogFigures = { total: 0, byLevel: new Map(), byDomain: new Map(), points: new Map(), errors: [] };
  const errors = new Map<string, LogTopError>();
  const first = Math.floor(from / minuteMs) * minuteMs;
  for (const tenantId of tenants)
    for await (const chunk of finder.chunks(tenantId, { from, to, domain }, { order: 'newest' })) {
      for (const { minute, level, domain: of, count } of chunk.counts) {
        const at = minute.getTime();
        if (at < first || at >= to || (domain !== undefined && of !== domain)) continue;
        figures.total += count;
        add(figures.byLevel, level, count);
        add(figures.byDomain, of, count);
        const start = startOf(at);
        const point = figures.points.get(start) ?? new Map<SystemLogLevel, number>();
        figures.points.set(start, point);
        add(point, level, count);
      }
      for (const one of chunk.errors) {
        const at = one.lastAt.getTime();
        if (at >= from && at < to && (domain === undefined || one.domain === domain)) addError(errors, one);
      }
    }
  figures.errors = [...errors.values()].sort((a, b) => b.count - a.count || b.lastId - a.lastId).slice(0, mostErrors);
  return figures;
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function addError(errors: Map<string, LogTopError>, one: LogTopError): void {
  const key = errorKey(one);
  const known = errors.get(key);
  if (!known) errors.set(key, { ...one });
  else {
    known.count += one.count;
    if (one.lastId > known.lastId) Object.assign(known, { lastId: one.lastId, lastAt: one.lastAt });
  }
}
