// What a request asks of the embedded store: each statement as it is carried out, with how many rows it found.
import Database from 'libsql';
import { vi } from 'vitest';

export interface StoreCalls {
  /** The statements that were carried out while `work` ran, each with its rows, in any order. */
  during(work: () => Promise<unknown>): Promise<string[]>;
  stop(): void;
}

/** Notes the statements of stores that are opened from now on. */
export function noteStoreCalls(): StoreCalls {
  let noted: string[] | null = null;
  const prepare = Database.prototype.prepare;
  const note = (sql: string, rows: number) => noted?.push(`${rows}: ${sql}`);
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (
    this: Database.Database,
    sql: string,
  ) {
    const statement = prepare.call(this, sql) as Database.Statement<unknown[]>;
    const { all, get, run } = statement;
    return Object.assign(statement, {
      all(...params: unknown[]) {
        const rows = all.apply(statement, params);
        note(
          sql,
          rows.reduce((sum: number, row) => sum + rowsIn(sql, row), 0),
        );
        return rows;
      },
      get(...params: unknown[]) {
        const row = get.apply(statement, params);
        note(sql, rowsIn(sql, row));
        return row;
      },
      run(...params: unknown[]) {
        const done = run.apply(statement, params);
        note(sql, done.changes);
        return done;
      },
    }) as never;
  } as never);
  return {
    async during(work) {
      const mine: string[] = [];
      noted = mine;
      try {
        await work();
      } finally {
        noted = null;
      }
      return mine.sort();
    },
    stop: () => spy.mockRestore(),
  };
}

/** Documents that are read as one text count each. */
function rowsIn(sql: string, row: unknown): number {
  if (row === undefined) return 0;
  if (!sql.includes('group_concat(doc')) return 1;
  const [text] = Object.values(row as Record<string, string | null>);
  return text ? JSON.parse(`[${text}]`).length : 0;
}

/** Entries of one list that the other does not have, each with who has it. */
export function difference(foreign: readonly string[], nowhere: readonly string[]): string[] {
  const only = (some: readonly string[], others: readonly string[]) => {
    const left = [...others];
    return some.filter((one) => {
      const at = left.indexOf(one);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  return [
    ...only(foreign, nowhere).map((one) => `foreign ${one}`),
    ...only(nowhere, foreign).map((one) => `unknown ${one}`),
  ];
}
