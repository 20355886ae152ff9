// Keeps the log: takes lines from the tap now and then, gives each to whom it belongs, and stores them packed together.
import type { Clock } from '../kernel/clock.ts';
import type { LogTap, TappedLine } from '../kernel/log-tap.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Db } from '../ports/db.ts';
import {
  countLines,
  type LogBodyDoc,
  type LogChunkDoc,
  logBodies,
  logChunks,
  type NumberedLine,
  packLines,
  serverTenant,
} from './chunk.ts';
import { type LogEntry, readEntry } from './entry.ts';
import { createLogIds } from './ids.ts';
import type { LogMarks } from './marks.ts';
import { assignLines, type FindRunOwners, type PlacedLine } from './owners.ts';

/** Lines that were just kept, for those who follow the log. */
export interface KeptLines {
  tenantId: number;
  /** Reads them; nobody does where nobody follows. */
  read(): LogEntry[];
}

interface Deps {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  tap: LogTap;
  nodeId: string;
  host: string;
  /** A number of this node, different from those of the others that run. */
  slot: number;
  operatorTenantId: number;
  runOwners: FindRunOwners;
  /** Tells other nodes what is being stored; absent where there are none. */
  marks?: Pick<LogMarks, 'begin' | 'end'> | undefined;
  /** Deletes what is too much of a tenant's log. */
  trim(tenantId: number): Promise<void>;
}

export interface LogKeeper {
  /** Keeps what waits; resolves when it is stored, or waits for the next time because the store failed. */
  flush(): Promise<void>;
  /** Up to this number, every line of this node is stored. */
  settledId(): number;
  /** Called after lines were stored; returns how to stop that. */
  onKept(listener: (kept: readonly KeptLines[]) => void): () => void;
  /** Has lines kept sooner while somebody looks on; returns how to stop that. */
  hurry(): () => void;
  close(): Promise<void>;
}

/** Milliseconds that a line waits at most; less while somebody looks on. */
const waitMs = 1000;
const hurriedMs = 200;
/** Milliseconds until the next attempt when the store has failed. */
const retryMs = 5000;
/** Characters after which a piece is closed, and those that one may have where much comes at once. */
const closedCharacters = 64 * 1024;
const mostCharacters = 512 * 1024;
/** A piece takes lines of no more than this time, so that it is found by its number. */
export const chunkSpanMs = 3_600_000;
/** Interval in ms of the look for what is too much. */
const trimEveryMs = 10_000;

interface OpenChunk {
  doc: LogChunkDoc;
  lines: NumberedLine[];
  characters: number;
  openedAt: number;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same pieces.
export async function createLogKeeper(deps: Deps): Promise<LogKeeper> {
  const { db, clock, log, tap, nodeId, host } = deps;
  const chunks = db.collection(logChunks);
  const bodies = db.collection(logBodies);
  const [newest] = await chunks.find({}, { sort: { lastId: -1 }, limit: 1 }).toArray();
  const ids = createLogIds({ now: () => clock.now(), slot: deps.slot, after: newest?.lastId ?? 0 });
  const open = new Map<number, OpenChunk>();
  const trimmed = new Map<number, number>();
  const listeners = new Set<(kept: readonly KeptLines[]) => void>();
  let hurries = 0;
  let stopTimer: (() => void) | null = null;
  let flushing: Promise<void> = Promise.resolve();
  let [failing, closed] = [false, false];
  /** While lines are being stored: the highest number before theirs. */
  let settled: number | null = null;

  const plan = (ms: number) => {
    if (closed) return;
    stopTimer?.();
    stopTimer = clock.after(ms, () => {
      stopTimer = null;
      void flush();
    });
  };
  const wait = () => (hurries > 0 ? hurriedMs : waitMs);
  tap.whenFilled((isMuch) => {
    if (failing) return;
    if (isMuch) plan(0);
    else if (!stopTimer) plan(wait());
  });

  /** Stores lines of a tenant in its open piece, or in a new one. */
  async function append(tenantId: number, lines: NumberedLine[]): Promise<void> {
    const current = open.get(tenantId);
    const fits = current && clock.steady() - current.openedAt < chunkSpanMs;
    const before = fits ? current : null;
    const all = before ? [...before.lines, ...lines] : lines;
    const body = await packLines(all);
    const counted = countLines(lines, before?.doc);
    const [{ id: firstId } = { id: 0 }] = all;
    const doc: LogChunkDoc = {
      ...{ _id: firstId, tenantId, nodeId, host, lastId: all.at(-1)?.id ?? firstId },
      ...counted,
      first: before && before.doc.first < counted.first ? before.doc.first : counted.first,
      last: before && before.doc.last > counted.last ? before.doc.last : counted.last,
      lines: all.length,
      size: body.length,
    };
    // The lines before what tells of them: what a crash leaves is deleted with what is older.
    const packed: LogBodyDoc = { _id: firstId, tenantId, body };
    await bodies.replaceOne({ _id: firstId }, packed, { upsert: true });
    await chunks.replaceOne({ _id: firstId }, doc, { upsert: true });
    const characters = (before?.characters ?? 0) + charactersOf(lines);
    if (characters >= closedCharacters) open.delete(tenantId);
    else open.set(tenantId, { doc, lines: all, characters, openedAt: before?.openedAt ?? clock.steady() });
    if (characters >= closedCharacters && clock.steady() - (trimmed.get(tenantId) ?? 0) >= trimEveryMs) {
      trimmed.set(tenantId, clock.steady());
      await deps.trim(tenantId);
    }
  }

  /** Stores lines of a tenant, with the numbers of their places; what the store did not take is left. */
  async function store(
    tenantId: number,
    lines: PlacedLine[],
    numbers: readonly number[],
  ): Promise<{ kept: KeptLines; left: TappedLine[] }> {
    const kept: NumberedLine[] = [];
    const read = () => kept.map(({ id, text, fields }) => readEntry(id, fields ?? JSON.parse(text), { host, nodeId }));
    try {
      for (const part of partsOf(lines)) {
        const numbered = part.map(({ place, ...line }): NumberedLine => ({ ...line, id: numbers[place]! }));
        await append(tenantId, numbered);
        kept.push(...numbered);
      }
    } catch (error) {
      // What is in the store and what is in memory may differ now: the next line begins a new piece.
      open.delete(tenantId);
      if (!failing) log.warn({ err: error }, 'log lines wait for the store');
    }
    const left = lines.slice(kept.length).map((line) => ({
      text: line.text,
      facts: line.fields ? null : { tenant: tenantId, level: line.level, domain: line.domain },
    }));
    return { kept: { tenantId, read }, left };
  }

  async function flushOnce(): Promise<void> {
    const { lines, dropped } = tap.take();
    if (dropped > 0) lines.push(droppedLine(dropped, clock.now()));
    if (lines.length === 0) return;
    const assigned = await assignLines(lines, deps).catch(() => null);
    if (!assigned) return failed(lines);
    try {
      await deps.marks?.begin();
    } catch {
      return failed(lines);
    }
    settled = ids.last;
    // Lines of several logs that are read as one come in the order in which they were written.
    const numbers = ids.take(assigned.count);
    const stored = await Promise.all([...assigned.byTenant].map(([tenantId, own]) => store(tenantId, own, numbers)));
    settled = null;
    // One that stays is replaced by the next, and holds nobody up for long.
    await deps.marks?.end().catch(() => {});
    const left = stored.flatMap((one) => one.left);
    if (left.length > 0) failed(left);
    else failing = false;
    for (const listener of listeners) listener(stored.map(({ kept }) => kept));
  }

  function failed(lines: readonly TappedLine[]): void {
    failing = true;
    tap.putBack(lines);
    plan(retryMs);
  }

  const flush = (): Promise<void> => {
    flushing = flushing.then(flushOnce).catch(() => {});
    return flushing;
  };

  return {
    flush,
    settledId: () => settled ?? ids.last,
    onKept(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hurry() {
      if (++hurries === 1 && stopTimer && !failing) plan(hurriedMs);
      return () => void hurries--;
    },
    async close() {
      closed = true;
      stopTimer?.();
      tap.whenFilled(() => {});
      await flush();
    },
  };
}

const charactersOf = (lines: readonly { text: string }[]) => lines.reduce((sum, { text }) => sum + text.length, 0);

/** Lines in parts of which each fits into one piece. */
function* partsOf(lines: readonly PlacedLine[]): Generator<PlacedLine[]> {
  let part: PlacedLine[] = [];
  let characters = 0;
  for (const line of lines) {
    if (characters + line.text.length > mostCharacters && part.length > 0) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(line);
    characters += line.text.length;
  }
  if (part.length > 0) yield part;
}

const droppedLine = (count: number, now: number): TappedLine => ({
  text: `${JSON.stringify({ level: 40, time: now, domain: 'System', count, msg: 'log lines were dropped: the store could not take them' })}\n`,
  facts: { tenant: serverTenant, level: 40, domain: 'System' },
});
