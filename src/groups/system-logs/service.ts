// Serves the log: searches, live tails and counts, each of what the caller may see.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { StreamFrame } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { LogEntry, LogFilter } from '../../logs/entry.ts';
import { countLog } from '../../logs/figures.ts';
import type { LogFinder } from '../../logs/finder.ts';
import { timeOfId } from '../../logs/ids.ts';
import type { LogTail } from '../../logs/tail.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { bucketStart } from '../buckets.ts';
import { systemLogs } from './contract.ts';
import { toSystemLogDto, toSystemLogDtos } from './show.ts';

export interface SystemLogsDeps {
  finder: LogFinder;
  tail: LogTail;
  /** The logs that a tenant reads: its own, and the server's where it is the operator's. */
  logsOf(tenantId: number): number[];
  /** Lines of this tenant that are older than this (ms) are not shown any more, whether they are deleted yet or not. */
  shownFrom(tenantId: number): Promise<number>;
  /** Lines up to this number were deleted. */
  floor(logs: readonly number[]): Promise<number>;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Buckets that one answer has at most. */
const mostPoints = 2000;

const msOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

interface Wanted extends Omit<LogFilter, 'host' | 'from' | 'to'> {
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
  sourceHost?: string | undefined;
}

/** What the caller asks for, within what they may still see. */
async function filterOf(deps: SystemLogsDeps, { tenantId }: Caller, wanted: Wanted): Promise<LogFilter> {
  const { fromUtc, toUtc, sourceHost, domain, minLevel, requestId, runId, identityId, errorCode, q } = wanted;
  const from = Math.max(msOf(fromUtc) ?? 0, await deps.shownFrom(tenantId));
  const ids = { requestId, runId, identityId, errorCode, q };
  return { from, to: msOf(toUtc), host: sourceHost, domain, minLevel, ...ids };
}

export const systemLogsService = implement(systemLogs, (deps: SystemLogsDeps) => ({
  list: async ({ caller, query, request }) => {
    const { page, pageSize, sort, beforeId, afterId, ...wanted } = query;
    const order = sort === undefined || sort.startsWith('-') ? 'newest' : 'oldest';
    const filter = await filterOf(deps, caller, wanted);
    const range = { order, before: beforeId, after: afterId, signal: request.signal } as const;
    const skip = (page - 1) * pageSize;
    const found: LogEntry[] = [];
    let seen = 0;
    for await (const entry of deps.finder.lines(deps.logsOf(caller.tenantId), filter, range)) {
      seen++;
      if (seen > skip) found.push(entry);
      if (found.length > pageSize) break;
    }
    const hasMore = found.length > pageSize;
    const items = await toSystemLogDtos(deps.identities, caller.tenantId, found.slice(0, pageSize));
    return { ...toPage(items, seen, query), hasTotal: !hasMore, moreAvailable: hasMore };
  },

  stream: async ({ caller, query: { backlog, ...wanted }, request }) => {
    const after = cursorOf(request.lastEventId);
    const filter = await filterOf(deps, caller, wanted);
    return { kind: 'frames' as const, frames: framesOf(deps, caller, filter, { after, backlog }, request.signal) };
  },

  stats: async ({ caller, query }) => {
    const to = msOf(query.toUtc) ?? deps.clock.now() + 1;
    const from = msOf(query.fromUtc) ?? to - dayMs;
    const bucket = query.bucket ?? (to - from <= 6 * hourMs ? 'Minute' : to - from <= 14 * dayMs ? 'Hour' : 'Day');
    const filter = { from: Math.max(from, await deps.shownFrom(caller.tenantId)), to, domain: query.domain };
    const startOf = (at: number) => bucketStart(bucket, at);
    const figures = await countLog(deps.finder, deps.logsOf(caller.tenantId), filter, startOf);
    if (figures.points.size > mostPoints)
      throw new Fault('VALIDATION_FAILED', `These are ${figures.points.size} buckets; one answer has ${mostPoints}.`, {
        field: 'bucket',
        hint: 'Ask for longer buckets, or for a shorter time.',
      });
    return {
      fromUtc: new Date(from).toISOString(),
      toUtc: new Date(to).toISOString(),
      bucket,
      total: figures.total,
      byLevel: Object.fromEntries(figures.byLevel),
      byDomain: Object.fromEntries(figures.byDomain),
      points: [...figures.points]
        .sort(([a], [b]) => a - b)
        .map(([start, counts]) => ({
          bucketStartUtc: new Date(start).toISOString(),
          counts: Object.fromEntries(counts),
        })),
      topErrors: figures.errors.map(({ code, lastAt, lastId, domain, message, count }) => ({
        ...{ errorCode: code, domain, message, count, sampleLogId: lastId },
        lastAtUtc: lastAt.toISOString(),
      })),
    };
  },
}));

/** The line after which a stream goes on. @throws Fault INVALID_CURSOR */
function cursorOf(lastEventId: string | null): number | null {
  if (lastEventId === null) return null;
  const id = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new Fault('INVALID_CURSOR', 'This is no id of a log line.', {
    field: 'lastEventId',
    hint: 'Send the id of the last event, or none to begin with the last lines.',
  });
}

async function* framesOf(
  deps: SystemLogsDeps,
  { tenantId }: Caller,
  filter: LogFilter,
  { after, backlog }: { after: number | null; backlog: number },
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  const { finder, tail, identities } = deps;
  const logs = deps.logsOf(tenantId);
  const names = new Map<number, string | null>();
  const frame = async (entry: LogEntry): Promise<StreamFrame> => {
    const { identityId } = entry;
    if (identityId !== null && !names.has(identityId))
      names.set(identityId, (await identities(tenantId).findOne({ _id: identityId }))?.displayName ?? null);
    const dto = toSystemLogDto(entry, identityId === null ? null : (names.get(identityId) ?? null));
    return { id: String(entry.id), event: 'log', data: JSON.stringify(dto) };
  };
  let cursor = after ?? (await tail.settledId());
  if (after === null && backlog > 0) {
    const last: LogEntry[] = [];
    for await (const entry of finder.lines(logs, filter, { order: 'newest', before: cursor + 1, signal })) {
      last.push(entry);
      if (last.length === backlog) break;
    }
    for (const entry of last.reverse()) yield frame(entry);
  }
  if (after !== null) {
    const floor = await deps.floor(logs);
    if (after < floor) {
      const data = { topic: 'logs', requestedSeq: after, oldestSeq: floor + 1, latestSeq: await tail.settledId() };
      yield { id: String(floor), event: 'stream.gap', data: JSON.stringify(data) };
      cursor = floor;
    }
    // A place from a clock that ran ahead is waited for no longer than a moment.
    if (timeOfId(after) > deps.clock.now() + dayMs) cursor = await tail.settledId();
  }
  for await (const entry of tail.follow(logs, filter, cursor, signal)) yield frame(entry);
}
