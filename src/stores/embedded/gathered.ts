// Batches concurrent reads into one statement, since a call of SQLite costs more than finding a few rows by key.
import type { Key } from './keys.ts';
import type { Row } from './sqlite.ts';

/** SQL that selects the column `doc`. */
export interface Select {
  sql: string;
  params: readonly Key[];
}

export interface Gathered {
  /** Runs `reads`; the selects that it requests before it returns are run as one statement. */
  gather<R>(reads: () => Promise<R>): Promise<R>;
  /** Documents of a select as texts joined by commas, null for none; the promise is null outside `gather`. */
  ask(select: Select): Promise<string | null> | null;
}

/** SQL for the documents of a select joined by commas, as one value. The order of a select with a limit is kept. */
export const joinedSql = (sql: string) => `(SELECT group_concat(doc, ',') FROM (${sql}))`;

/** Statements of reads that were made together, by the SQL of each in turn: long texts are not put together again. */
interface Step {
  statement: string | null;
  next: Map<string, Step>;
}
const newStep = (): Step => ({ statement: null, next: new Map() });
/** Steps that are kept; programs read few things together. */
const keptSteps = 1000;

function createStatements() {
  let first = newStep();
  let steps = 0;
  const after = (step: Step, sql: string): Step => {
    const known = step.next.get(sql);
    if (known) return known;
    const next = newStep();
    step.next.set(sql, next);
    steps++;
    return next;
  };
  return (asked: readonly Select[]): string => {
    if (steps > keptSteps) {
      first = newStep();
      steps = 0;
    }
    let step = first;
    for (const { sql } of asked) step = after(step, sql);
    step.statement ??= `SELECT ${asked.map(({ sql }) => joinedSql(sql)).join(' /* beside */, ')}`;
    return step.statement;
  };
}

interface Asked extends Select {
  resolve(texts: string | null): void;
  reject(error: unknown): void;
}

export function createGathered(sqlite: { get(sql: string, params: readonly Key[]): Row | undefined }): Gathered {
  const statementOf = createStatements();
  let waiting: Asked[] | null = null;

  function readAll(asked: readonly Asked[]): void {
    if (asked.length === 0) return;
    try {
      const params = asked.flatMap((one) => one.params);
      const row = sqlite.get(statementOf(asked), params)!;
      for (const [at, { resolve }] of asked.entries()) resolve(row[at] as string | null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  return {
    gather(reads) {
      if (waiting) return reads();
      const asked: Asked[] = [];
      waiting = asked;
      try {
        return reads();
      } finally {
        waiting = null;
        readAll(asked);
      }
    },
    ask(select) {
      const asked = waiting;
      return (
        asked &&
        new Promise((resolve, reject) => asked.push({ sql: select.sql, params: select.params, resolve, reject }))
      );
    },
  };
}
