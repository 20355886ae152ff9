// Keeps the log within its bounds: lines that are too old go, and the oldest where a log has too many.
import type { Db } from '../ports/db.ts';
import { logBodies, logChunks, logFloors } from './chunk.ts';

export interface LogBounds {
  /** Of each tenant, and of the server's own lines. */
  lines: number;
  /** As they are stored. */
  bytes: number;
}

interface Sums {
  lines: number;
  size: number;
}
const sums = { $group: { _id: null, lines: { $sum: '$lines' }, size: { $sum: '$size' } } };

/** Pieces that go at once. */
const step = 50;

export function createLogBounds({ db, most }: { db: Db; most: LogBounds }) {
  const chunks = db.collection(logChunks);
  const bodies = db.collection(logBodies);
  const floors = db.collection(logFloors);

  /** Deletes pieces that end no later than a number; the lines before what tells of them. */
  async function drop(tenantId: number, ids: readonly number[], upTo: number): Promise<number> {
    if (ids.length === 0) return 0;
    await floors.updateOne({ _id: tenantId }, { $max: { upTo } }, { upsert: true });
    await bodies.deleteMany({ tenantId, _id: { $in: ids } });
    await chunks.deleteMany({ tenantId, _id: { $in: ids } });
    return ids.length;
  }

  return {
    /** Pieces whose lines are all older than `before`, ms since 1970 UTC; yields how many lines went at each step. */
    async *prune(before: number, tenantId?: number): AsyncGenerator<number> {
      const old = { last: { $lt: new Date(before) }, ...(tenantId === undefined ? {} : { tenantId }) };
      for (;;) {
        const some = await chunks.find(old, { sort: { last: 1 }, limit: step }).toArray();
        for (const id of new Set(some.map((one) => one.tenantId))) {
          const own = some.filter((one) => one.tenantId === id);
          await drop(
            id,
            own.map(({ _id }) => _id),
            Math.max(...own.map(({ lastId }) => lastId)),
          );
        }
        yield some.reduce((sum, { lines }) => sum + lines, 0);
        if (some.length < step) return;
      }
    },

    /** Lines that `prune` would delete. */
    async count(before: number): Promise<number> {
      const old = { $match: { last: { $lt: new Date(before) } } };
      return (await chunks.aggregate<Sums>([old, sums]).toArray())[0]?.lines ?? 0;
    },

    /** Deletes the oldest pieces of a log that has too many lines or bytes. */
    async trim(tenantId: number): Promise<void> {
      const [total] = await chunks.aggregate<Sums>([{ $match: { tenantId } }, sums]).toArray();
      let [lines, size] = [(total?.lines ?? 0) - most.lines, (total?.size ?? 0) - most.bytes];
      while (lines > 0 || size > 0) {
        const oldest = await chunks.find({ tenantId }, { sort: { _id: 1 }, limit: step }).toArray();
        const gone = [];
        for (const chunk of oldest) {
          if (lines <= 0 && size <= 0) break;
          gone.push(chunk);
          lines -= chunk.lines;
          size -= chunk.size;
        }
        if (gone.length === 0) return;
        await drop(
          tenantId,
          gone.map(({ _id }) => _id),
          Math.max(...gone.map(({ lastId }) => lastId)),
        );
      }
    },

    /** Lines up to this number are gone; 0 where none are. */
    floor: async (tenantIds: readonly number[]): Promise<number> => {
      const found = await floors.find({ _id: { $in: tenantIds } }).toArray();
      return Math.max(0, ...found.map(({ upTo }) => upTo));
    },
  };
}
