// The SQLite file: one connection, prepared statements, and group commit.
import Database from 'libsql';
import { Fault } from '../../kernel/fault.ts';
import type { Key } from './keys.ts';

export type Param = Key | null;
export type Row = readonly unknown[];

interface Write {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Longest time one transaction may hold the event loop before it commits, in ms. */
const batchMs = 8;
const maxStatements = 1000;

const pragmas = [
  'busy_timeout = 5000',
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -32768',
  'temp_store = MEMORY',
  'journal_size_limit = 67108864',
];

/**
 * One SQLite file in WAL mode. Reads run at once; writes that are asked for in the same turn of the event loop share
 * one transaction, and with it one fsync. A write's promise settles after COMMIT.
 */
export class Sqlite {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement<unknown[]>>();
  #queue: Write[] = [];
  #scheduled = false;
  #closed = false;

  /** Opens the file, or makes it. Fault STORE_UNAVAILABLE when it can't be used. */
  constructor(path: string) {
    this.#db = this.#guard(() => new Database(path));
    try {
      for (const pragma of pragmas) this.#guard(() => this.#db.pragma(pragma));
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Several statements without parameters, e.g. DDL. */
  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  run(sql: string, params: readonly Param[] = []): number {
    return this.#guard(() => this.#statement(sql).run(params).changes);
  }

  get(sql: string, params: readonly Param[] = []): Row | undefined {
    return this.#guard(() => this.#statement(sql).get(params) as Row | undefined);
  }

  all(sql: string, params: readonly Param[] = []): Row[] {
    return this.#guard(() => this.#statement(sql).all(params) as Row[]);
  }

  /** Queues a write; it must be a single statement or use `atomic`. Resolves when it is on disk. */
  write<R>(run: () => R): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      if (this.#closed) return reject(closedFault());
      this.#queue.push({ run, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Runs several statements so that all or none of them stay. Only inside `write`. */
  atomic<R>(run: () => R): R {
    this.run('SAVEPOINT op');
    try {
      const result = run();
      this.run('RELEASE op');
      return result;
    } catch (error) {
      if (this.#db.inTransaction) {
        this.run('ROLLBACK TO op');
        this.run('RELEASE op');
      }
      throw error;
    }
  }

  /** Commits what is queued, then closes the file. */
  close(): void {
    if (this.#closed) return;
    while (this.#queue.length > 0) this.#flush();
    this.#closed = true;
    this.#db.pragma('analysis_limit = 400');
    this.#db.pragma('optimize');
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
    this.#statements.clear();
    this.#db.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#closed) this.#flush();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const batch = this.#queue;
    this.#queue = [];
    const done: (() => void)[] = [];
    try {
      this.run('BEGIN IMMEDIATE');
      this.#runBatch(batch, done);
      this.run('COMMIT');
    } catch (error) {
      if (this.#db.inTransaction) this.run('ROLLBACK');
      for (const write of batch) write.reject(error);
      return;
    }
    for (const settle of done) settle();
  }

  /** Runs writes until the time is up, and puts the rest back in front of the queue. */
  #runBatch(batch: Write[], done: (() => void)[]): void {
    const started = performance.now();
    for (const [at, write] of batch.entries()) {
      if (at > 0 && performance.now() - started > batchMs) {
        this.#queue = batch.splice(at);
        return;
      }
      try {
        const value = write.run();
        done.push(() => write.resolve(value));
      } catch (error) {
        if (!this.#db.inTransaction) throw error;
        done.push(() => write.reject(error));
      }
    }
  }

  #statement(sql: string): Database.Statement<unknown[]> {
    let statement = this.#statements.get(sql);
    if (statement) return statement;
    if (this.#statements.size >= maxStatements) this.#statements.delete(this.#statements.keys().next().value!);
    statement = this.#db.prepare(sql);
    if (statement.reader) statement.raw(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<R>(run: () => R): R {
    if (this.#closed) throw closedFault();
    try {
      return run();
    } catch (error) {
      throw translate(error);
    }
  }
}

function closedFault(): Fault {
  return new Fault('STORE_UNAVAILABLE', 'The store is closed.', { hint: 'The server is shutting down; try again.' });
}

const environmental = /^SQLITE_(BUSY|FULL|IOERR|CANTOPEN|CORRUPT|NOTADB|READONLY|LOCKED|NOMEM|PROTOCOL)/;

/** Failures of disk or file become Faults; the rest stays as it is. */
function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!environmental.test(code)) return error;
  return new Fault('STORE_UNAVAILABLE', `The database file could not be used (${code}).`, {
    hint: 'Check that the data folder is writable and the disk is not full.',
    cause: error,
  });
}
