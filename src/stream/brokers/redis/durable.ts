// Durable events from Redis to the store: grouped, retried, and completed for dead writers.
import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { EventStore, NewStoredEvent } from '../../../ports/event-store.ts';
import { eachPlace } from '../../log/memory-event-store.ts';

interface Waiting {
  rows: NewStoredEvent[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface DurableWriter {
  /** Resolves when the rows are on disk; existing rows count as written. */
  write(rows: NewStoredEvent[]): Promise<void>;
  /** Resolves when no write is in flight. */
  idle(): Promise<void>;
}

const attempts = 5;
const commitRows = 4096;

/** Writes rows in groups, one commit at a time. */
export function createDurableWriter(deps: { store: EventStore; clock: Clock; log: Logger }): DurableWriter {
  const { store, clock, log } = deps;
  const queue: Waiting[] = [];
  let running: Promise<void> | null = null;

  const each = async (rows: readonly NewStoredEvent[]) => {
    for (const row of rows.flatMap(eachPlace)) {
      await store.append([row], [], { apart: true }).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
      });
    }
  };

  /** A failed attempt may have written some rows, so later ones go row by row. */
  const put = async (rows: NewStoredEvent[]) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await (attempt === 1 ? store.append(rows, [], { apart: true }) : each(rows));
        return;
      } catch (error) {
        if (attempt === attempts) throw error;
        if (!isDuplicate(error)) {
          log.warn({ err: error, attempt }, 'events could not be stored, trying again');
          await clock.sleep(50 * 2 ** attempt);
        }
      }
    }
  };

  const run = async () => {
    await Promise.resolve();
    while (queue.length > 0) {
      const group = queue.splice(0, commitRows);
      try {
        await put(group.flatMap(({ rows }) => rows));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = null;
  };

  return {
    write: (rows) =>
      new Promise((resolve, reject) => {
        queue.push({ rows, resolve, reject });
        running ??= run();
      }),
    async idle() {
      while (running) await running;
    },
  };
}
