// The SQLite file: one connection, prepared statements, and group commit.
import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import Database from 'libsql';
import { Fault } from '../../kernel/fault.ts';
import type { Key } from './keys.ts';
import { checkWal, createWalGuard, type WalGuard } from './wal-guard.ts';

type Statement = Database.Statement<unknown[]>;
export type Param = Key | null;
export type Row = readonly unknown[];

/** Syncs the write-ahead log, an open file, to the disk. */
export type SyncLog = (log: number) => Promise<void>;

interface Write {
  run: () => unknown;
  /** Whether it may be rolled back and run again, which saves a savepoint. */
  repeatable: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A committed write that is not synced yet. */
interface Pending {
  settle: () => void;
  reject: (error: unknown) => void;
}

/** Longest time one transaction may hold the event loop before it commits, in ms. */
const batchMs = 8;
/** Longest time in ms that a patient write waits for another one's transaction. */
const patienceMs = 20;
const maxStatements = 1000;

/** Free pages kept for the next writes, and those that one step returns to the disk (4 KiB each). */
const keptPages = 1024;
const stepPages = 128;

const pragmas = (synchronous: 'NORMAL' | 'OFF') => [
  'busy_timeout = 2000',
  // Before what writes a new file, which waits for the disk several times. Not FULL: COMMIT would stop the event loop for
  // each fsync. `#syncLog` does that fsync in the thread pool instead, and no promise resolves before it; checkpoints sync
  // as ever.
  `synchronous = ${synchronous}`,
  // Free pages are tracked, so that some of them can be returned at a time.
  'auto_vacuum = INCREMENTAL',
  'journal_mode = WAL',
  'cache_size = -32768',
  'temp_store = MEMORY',
  'journal_size_limit = 67108864',
  // Deleted data is overwritten, so that no free page holds a forgotten text.
  'secure_delete = ON',
];

/**
 * One SQLite file in WAL mode. Reads run at once. Writes that are asked for in the same turn of the event loop share a
 * transaction, and transactions that commit during an fsync share the next one. A write's promise settles when its
 * transaction is on the disk; reads see it from its COMMIT on.
 */
export class Sqlite {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #sync: SyncLog;
  /** By the way they are read: `get` of one whose rows `all` has read answers with a row of those, whatever it asks for. */
  readonly #statements = { first: new Map<string, Statement>(), all: new Map<string, Statement>() };
  #queue: Write[] = [];
  /** The timer after which patient writes go by themselves. */
  #patience: NodeJS.Timeout | undefined;
  #pending: Pending[] = [];
  #syncing: Promise<void> | null = null;
  #log: number | null = null;
  readonly #walGuard: WalGuard;
  #scheduled = false;
  #refusal: Fault | null = null;
  #closing: Promise<void> | null = null;
  #scrubbing: Promise<void> | null = null;
  #rollbacks = 0;
  /** Whether `atomic` sets savepoints; without them what fails within one spoils the transaction. */
  #savepoints = true;
  #spoiled = false;

  /**
   * Opens the file, or makes it; with `sync` null nothing waits for the disk. Fault STORE_UNAVAILABLE when it can't be
   * used.
   */
  constructor(path: string, sync: SyncLog | null = promisify(fdatasync)) {
    this.#path = path;
    this.#sync = sync ?? (async () => {});
    checkWal(path);
    this.#walGuard = createWalGuard(path);
    this.#db = this.#guard(() => new Database(path));
    try {
      for (const pragma of pragmas(sync ? 'NORMAL' : 'OFF')) this.#guard(() => this.#db.pragma(pragma));
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Number of rollbacks. */
  get rollbacks(): number {
    return this.#rollbacks;
  }

  /** Several statements without parameters, e.g. DDL. */
  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  /** Returns how many rows changed. */
  run(sql: string, params: readonly Param[] = []): number {
    return this.#guard(() => this.#statement('first', sql).run(params).changes);
  }

  get(sql: string, params: readonly Param[] = []): Row | undefined {
    return this.#guard(() => this.#statement('first', sql).get(params) as Row | undefined);
  }

  all(sql: string, params: readonly Param[] = []): Row[] {
    return this.#guard(() => this.#statement('all', sql).all(params) as Row[]);
  }

  /**
   * Queues a write; it must be a single statement or use `atomic`. Resolves when it is on the disk. One that does more
   * than to write rows is not `repeatable`. A `patient` one waits a while for others, whose transaction it joins.
   */
  write<R>(run: () => R, { repeatable = true, patient = false } = {}): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      if (this.#closing) return reject(closedFault());
      this.#queue.push({ run, repeatable, resolve: resolve as (value: unknown) => void, reject });
      if (patient) this.#patience ??= setTimeout(() => this.#schedule(), patienceMs);
      else this.#schedule();
    });
  }

  /** Runs several statements so that all or none of them stay. Only inside `write`. */
  atomic<R>(run: () => R): R {
    return this.#savepoints ? this.#inSavepoint(run) : this.#unguarded(run);
  }

  #unguarded<R>(run: () => R): R {
    try {
      return run();
    } catch (error) {
      this.#spoiled = true;
      throw error;
    }
  }

  #inSavepoint<R>(run: () => R): R {
    this.run('SAVEPOINT op');
    try {
      const result = run();
      this.run('RELEASE op');
      return result;
    } catch (error) {
      this.#rollbacks++;
      if (this.#db.inTransaction) {
        this.run('ROLLBACK TO op');
        this.run('RELEASE op');
      }
      throw error;
    }
  }

  /** Size of the file in bytes, and how many of them are free. */
  space(): { bytes: number; freeBytes: number } {
    const value = (name: string) => this.get(`PRAGMA ${name}`)![0] as number;
    const pageBytes = value('page_size');
    return { bytes: value('page_count') * pageBytes, freeBytes: value('freelist_count') * pageBytes };
  }

  /** Returns free pages to the disk, some at a time between other writes. */
  async reclaim(signal?: AbortSignal): Promise<void> {
    const freePages = () => this.get('PRAGMA freelist_count')![0] as number;
    const before = freePages();
    for (let free = before; free > keptPages + stepPages && !this.#closing && !signal?.aborted; ) {
      await this.write(() => this.exec(`PRAGMA incremental_vacuum(${stepPages})`), { repeatable: false });
      const now = freePages();
      // A file of an earlier version cannot shrink where there was no room to convert it.
      if (now >= free) break;
      free = now;
    }
    // The checkpoint is what shortens the file.
    if (freePages() < before && !this.#closing) this.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** Whether something was written since the log was emptied. */
  hasLog(): boolean {
    return (statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /**
   * Empties the log, whose pages hold what was deleted since, until others are written over them. Those who ask while
   * it waits for an fsync share it.
   */
  scrub(): Promise<void> {
    this.#scrubbing ??= this.#emptyLog().finally(() => {
      this.#scrubbing = null;
    });
    return this.#scrubbing;
  }

  async #emptyLog(): Promise<void> {
    // Callers have deleted before: queued writes and those in flight come first.
    await this.write(() => this.#walGuard.position());
    while (this.#syncing) await this.#syncing;
    if (this.#closing) return;
    // No write may come between these two: the guard would miss it.
    this.#walGuard.clear();
    this.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /**
   * Converts a file of an earlier version, which cannot shrink; returns whether that was necessary. Takes some seconds
   * for each gigabyte, and room for a second copy.
   */
  makeShrinkable(): boolean {
    if (this.get('PRAGMA auto_vacuum')![0] !== 0) return false;
    this.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
    return true;
  }

  /** Refuses further writes, commits those that are queued, then closes the file. */
  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** Closes a file that a check refused after it was opened. */
  abandon(): void {
    this.#closing = Promise.resolve();
    this.#refusal = closedFault();
    this.#walGuard.close();
    this.#forgetStatements();
    this.#db.close();
  }

  async #finish(): Promise<void> {
    while (this.#queue.length > 0) this.#flush();
    await this.#syncing;
    if (this.#log !== null) closeSync(this.#log);
    this.#forgetStatements();
    if (!this.#refusal) {
      this.#walGuard.clear();
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    }
    this.#walGuard.close();
    this.#refusal = closedFault();
    this.#db.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const batch = this.#queue;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (batch.length === 0) return;
    this.#queue = [];
    const savepoints = batch.some((write) => !write.repeatable);
    try {
      const done = this.#transact(batch, savepoints) ?? this.#transact(batch, true) ?? [];
      this.#pending.push(...done);
    } catch (error) {
      for (const write of batch) write.reject(error);
      return;
    }
    this.#syncing ??= this.#syncLog();
  }

  /**
   * Runs writes in one transaction. Without savepoints, for which SQLite copies each page before it changes, it is null
   * and nothing is done when one failed that may have done a part of its work.
   */
  #transact(batch: Write[], savepoints: boolean): Pending[] | null {
    this.#savepoints = savepoints;
    this.#spoiled = false;
    try {
      this.run('BEGIN IMMEDIATE');
      const done = this.#runBatch(batch);
      if (!this.#spoiled) {
        this.run('COMMIT');
        return done;
      }
    } catch (error) {
      this.#undo();
      throw error;
    }
    this.#undo();
    return null;
  }

  #undo(): void {
    this.#rollbacks++;
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }

  /** Runs writes until one spoils the transaction or the time is up, and puts the rest back in front of the queue. */
  #runBatch(batch: Write[]): Pending[] {
    const done: Pending[] = [];
    const started = performance.now();
    for (const [at, { run, resolve, reject }] of batch.entries()) {
      if (at > 0 && performance.now() - started > batchMs) {
        this.#queue = [...batch.splice(at), ...this.#queue];
        break;
      }
      try {
        const value = run();
        done.push({ settle: () => resolve(value), reject });
      } catch (error) {
        if (!this.#db.inTransaction) throw error;
        done.push({ settle: () => reject(error), reject });
      }
      if (this.#spoiled) break;
    }
    return done;
  }

  /** Syncs again and again until nothing is pending. */
  async #syncLog(): Promise<void> {
    while (this.#pending.length > 0) {
      const covered = this.#pending;
      this.#pending = [];
      try {
        this.#log ??= openSync(`${this.#path}-wal`, 'r+');
        const position = this.#walGuard.position();
        await this.#sync(this.#log);
        this.#walGuard.note(position);
        for (const { settle } of covered) settle();
      } catch (cause) {
        this.#refuse(cause, covered);
      }
    }
    this.#syncing = null;
  }

  /** After a failed fsync the state of the disk is unknown: every further write is refused until a restart. */
  #refuse(cause: unknown, writes: readonly Pending[]): void {
    this.#refusal ??= new Fault('STORE_UNAVAILABLE', 'The disk failed to keep what was written.', {
      hint: 'Check the disk of the data folder, then restart the server.',
      cause,
    });
    for (const { reject } of writes) reject(this.#refusal);
  }

  #statement(read: 'first' | 'all', sql: string): Statement {
    const statements = this.#statements[read];
    let statement = statements.get(sql);
    if (statement) return statement;
    if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!);
    statement = this.#db.prepare(sql);
    if (statement.reader) statement.raw(true);
    statements.set(sql, statement);
    return statement;
  }

  #forgetStatements(): void {
    for (const statements of Object.values(this.#statements)) statements.clear();
  }

  #guard<R>(run: () => R): R {
    if (this.#refusal) throw this.#refusal;
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

export const diskFull = (cause?: unknown) =>
  new Fault('STORE_UNAVAILABLE', 'The disk of the data folder is full.', {
    hint: 'Make room on it: what was acknowledged is safe, and work goes on by itself.',
    retryAfterSeconds: 10,
    cause,
  });

const environmental = /^SQLITE_(BUSY|FULL|IOERR|CANTOPEN|CORRUPT|NOTADB|READONLY|LOCKED|NOMEM|PROTOCOL)/;

/** Failures of disk or file become Faults; the rest stays as it is. */
export function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!environmental.test(code)) return error;
  if (code.startsWith('SQLITE_FULL')) return diskFull(error);
  return new Fault('STORE_UNAVAILABLE', `The database file could not be used (${code}).`, {
    hint: /^SQLITE_(CORRUPT|NOTADB)/.test(code)
      ? 'Restore a backup into an empty folder (see docs/operations.md): the file is damaged.'
      : 'Check that the data folder is writable and the disk is not full.',
    cause: error,
  });
}
