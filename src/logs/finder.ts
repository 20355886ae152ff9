// Finds log lines in the store: newest or oldest first, from a number on, opening only the pieces that may have them.
import type { Collection, Db, Filter } from '../ports/db.ts';
import { type LogChunkDoc, logBodies, logChunks, unpackText } from './chunk.ts';
import { fieldsOf, type LogEntry, type LogFilter, matcherOf, needlesOf, readEntry, weightOf } from './entry.ts';
import { idAt, idsIn } from './ids.ts';
import { chunkSpanMs } from './keeper.ts';

export interface LogRange {
  order: 'newest' | 'oldest';
  /** Lines of lower numbers. */
  before?: number | undefined;
  /** Lines of higher numbers. */
  after?: number | undefined;
  /** Ends the search: nobody waits for it any more. */
  signal?: AbortSignal | undefined;
}

export interface LogFinder {
  /** Lines that match, of several logs as one, in the order of their numbers. */
  lines(tenants: readonly number[], filter: LogFilter, range: LogRange): AsyncGenerator<LogEntry, void, void>;
  /** Pieces of a log that may have such lines, without their lines. */
  chunks(tenantId: number, filter: LogFilter, range: LogRange): AsyncGenerator<LogChunkDoc, void, void>;
}

/** Pieces that are looked for at once. */
const pageSize = 100;
const chunkSpanIds = idsIn(chunkSpanMs + 60_000);
/** A line is kept after it was written; clocks of nodes may differ by this many ms. */
const skewMs = 60_000;

/** Whether a piece may have lines that match. */
const mayHave = (filter: LogFilter, { before, after }: LogRange) => {
  const least = filter.minLevel ? weightOf(filter.minLevel) : 0;
  return (chunk: LogChunkDoc): boolean =>
    (before === undefined || chunk._id < before) &&
    (after === undefined || chunk.lastId > after) &&
    (filter.from === undefined || chunk.last.getTime() >= filter.from) &&
    (filter.to === undefined || chunk.first.getTime() < filter.to) &&
    (filter.host === undefined || chunk.host.toLowerCase() === filter.host.toLowerCase()) &&
    chunk.counts.some(
      ({ level, domain }) => weightOf(level) >= least && (filter.domain === undefined || domain === filter.domain),
    );
};

export function createLogFinder({ db }: { db: Db }): LogFinder {
  const collection = db.collection(logChunks);
  const bodies = db.collection(logBodies);

  async function* chunks(
    tenantId: number,
    filter: LogFilter,
    range: LogRange,
  ): AsyncGenerator<LogChunkDoc, void, void> {
    const wanted = mayHave(filter, range);
    for await (const chunk of inOrder(collection, tenantId, filter, range)) {
      if (range.signal?.aborted) return;
      if (wanted(chunk)) yield chunk;
    }
  }

  /** The lines of a piece that match, in the order of their numbers. */
  async function open(chunk: LogChunkDoc, filter: LogFilter, range: LogRange): Promise<LogEntry[]> {
    const found = await bodies.findOne({ _id: chunk._id, tenantId: chunk.tenantId });
    if (!found) return [];
    return readPiece(await unpackText(found.body), chunk, filter, range);
  }

  async function* lines(
    tenants: readonly number[],
    filter: LogFilter,
    range: LogRange,
  ): AsyncGenerator<LogEntry, void, void> {
    const isNewest = range.order === 'newest';
    const sign = isNewest ? -1 : 1;
    /** Where a piece begins, in the order that is asked for. */
    const edge = (chunk: LogChunkDoc) => (isNewest ? chunk.lastId : chunk._id);
    const sources = tenants.map((tenantId) => chunks(tenantId, filter, range));
    const heads = await Promise.all(sources.map((source) => source.next()));
    // Lines whose turn has not come: pieces of several nodes and logs overlap.
    let waiting: LogEntry[] = [];
    for (;;) {
      const next = heads.reduce<number | null>((best, head, at) => {
        if (head.done) return best;
        const first = best === null ? null : (heads[best] as IteratorYieldResult<LogChunkDoc>);
        return first === null || sign * (edge(head.value) - edge(first.value)) < 0 ? at : best;
      }, null);
      const head = next === null ? null : (heads[next] as IteratorYieldResult<LogChunkDoc>);
      const limit = head ? edge(head.value) : null;
      const ready = waiting.findIndex(({ id }) => limit !== null && sign * (id - limit) >= 0);
      const due = ready < 0 ? waiting.splice(0) : waiting.splice(0, ready);
      yield* due;
      if (next === null || head === null) return;
      waiting = [...waiting, ...(await open(head.value, filter, range))].sort((a, b) => sign * (a.id - b.id));
      heads[next] = await (sources[next] as AsyncGenerator<LogChunkDoc, void, void>).next();
    }
  }

  return { lines, chunks };
}

/** The lines of a piece that match; only those that may are read. */
function readPiece(text: string, chunk: LogChunkDoc, filter: LogFilter, { before, after }: LogRange): LogEntry[] {
  const needles = needlesOf(filter);
  const mayMatch = (some: string) => {
    if (needles.length === 0) return true;
    const lower = some.toLowerCase();
    return needles.every((of) => of.some((one) => lower.includes(one)));
  };
  if (!mayMatch(text)) return [];
  const matches = matcherOf(filter);
  const entries: LogEntry[] = [];
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    const id = Number(line.slice(0, space));
    // A piece may have grown since it was found: what came then is for the next look.
    if (id > chunk.lastId || (before !== undefined && id >= before) || (after !== undefined && id <= after)) continue;
    const fields = mayMatch(line) ? fieldsOf(line.slice(space + 1)) : null;
    if (!fields) continue;
    const entry = readEntry(id, fields, chunk);
    if (matches(entry)) entries.push(entry);
  }
  return entries;
}

/** Pieces of a log by where they end (newest first) or begin (oldest first). */
async function* inOrder(
  chunks: Collection<LogChunkDoc>,
  tenantId: number,
  filter: LogFilter,
  { order, before, after }: LogRange,
): AsyncGenerator<LogChunkDoc, void, void> {
  const least = Math.max(after ?? 0, filter.from === undefined ? 0 : idAt(filter.from - skewMs));
  if (order === 'newest') {
    let below = before === undefined ? Number.MAX_SAFE_INTEGER : before + chunkSpanIds;
    for (;;) {
      const within: Filter<LogChunkDoc> = { tenantId, lastId: { $gt: least, $lt: below } };
      const page = await chunks.find(within, { sort: { lastId: -1 }, limit: pageSize }).toArray();
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      below = last.lastId;
    }
  }
  let from = Math.max(0, least - chunkSpanIds);
  for (;;) {
    const within: Filter<LogChunkDoc> = { tenantId, _id: { $gt: from, $lt: before ?? Number.MAX_SAFE_INTEGER } };
    const page = await chunks.find(within, { sort: { _id: 1 }, limit: pageSize }).toArray();
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    from = last._id;
  }
}
