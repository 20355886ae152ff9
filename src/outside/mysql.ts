// MySQL and MariaDB: one prepared statement a connection, read-only unless it is to write, a few rows of its answer.
import { connect } from 'node:net';
import type { Connection, ConnectionOptions } from 'mysql2';
import { bounded } from './bounded-socket.ts';
import { databaseFault, misconfigured, tlsModeOf } from './database-faults.ts';
import type { Door } from './door.ts';
import { bound, withoutTexts } from './sql.ts';
import type { Rows, Statement } from './statements.ts';

/** Connects to the address that the door has judged, and to no socket or file that the string may name. */
export async function runMysql(door: Pick<Door, 'addressOf'>, connection: string, statement: Statement): Promise<Rows> {
  const { tenantId, timeoutMs, signal, writes, text } = statement;
  if (!writes) requireReading(text);
  const url = new URL(connection);
  const port = Number(url.port || 3306);
  const mode = tlsModeOf(url);
  const address = await door.addressOf(tenantId, url.hostname, port);
  const { createConnection } = await import('mysql2');
  const client = createConnection({
    ...{ host: url.hostname, port, user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) },
    ...{ database: decodeURIComponent(url.pathname.slice(1)), stream: () => bounded(connect(port, address)) },
    ...{ connectTimeout: timeoutMs, dateStrings: true, supportBigNumbers: true, multipleStatements: false },
    // The server may not ask for a file of this machine.
    flags: ['-LOCAL_FILES'],
    ...(mode !== 'disable' && {
      ssl: { rejectUnauthorized: mode === 'verify-full', verifyIdentity: mode === 'verify-full' },
    }),
  } satisfies ConnectionOptions);
  client.on('error', () => undefined);
  let late: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      client.destroy();
      reject(reason);
    };
    // A server that hangs ends nothing by itself.
    late = setTimeout(() => stop(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), timeoutMs + 1000);
    signal?.addEventListener('abort', () => stop(signal.reason), { once: true });
    if (signal?.aborted) stop(signal.reason);
  });
  try {
    return await Promise.race([inTransaction(client, statement), ended]);
  } catch (error) {
    signal?.throwIfAborted();
    throw databaseFault(error, timeoutMs);
  } finally {
    clearTimeout(late);
    client.destroy();
  }
}

async function inTransaction(client: Connection, statement: Statement): Promise<Rows> {
  const { text, values, writes, mostRows, timeoutMs } = statement;
  await limitTime(client, timeoutMs);
  // What a transaction that ends early begins is as this one.
  await plain(client, `SET SESSION TRANSACTION READ ${writes ? 'WRITE' : 'ONLY'}`);
  await plain(client, `START TRANSACTION READ ${writes ? 'WRITE' : 'ONLY'}`);
  const { text: sql, values: given } = bound('mysql', text, values);
  const answer = await execute(client, sql, given.map(asParameter), mostRows);
  if (!answer.truncated) await plain(client, writes ? 'COMMIT' : 'ROLLBACK');
  return { ...answer, changed: writes ? answer.changed : null };
}

/** MariaDB counts seconds of all statements, MySQL milliseconds of those that read. */
async function limitTime(client: Connection, timeoutMs: number): Promise<void> {
  try {
    await plain(client, `SET SESSION max_statement_time = ${timeoutMs / 1000}`);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ER_UNKNOWN_SYSTEM_VARIABLE') throw error;
    await plain(client, `SET SESSION max_execution_time = ${timeoutMs}`);
  }
}

const plain = (client: Connection, sql: string) =>
  new Promise<void>((resolve, reject) => client.query(sql, (error) => (error ? reject(error) : resolve())));

/** Values go beside the text; an answer with more rows than are told of is not read to its end. */
function execute(client: Connection, sql: string, values: unknown[], mostRows: number): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const rows: Rows['rows'] = [];
    let changed: number | null = null;
    const answer = (truncated: boolean) => resolve({ rows, truncated, changed });
    const command = client.execute(sql, values as never);
    command.on('error', reject);
    command.on('result', (row: object) => {
      if (row.constructor.name === 'ResultSetHeader') changed = (row as { affectedRows: number }).affectedRows;
      else if (rows.length === mostRows) answer(true);
      else rows.push(shownRow(row));
    });
    command.on('end', () => answer(false));
  });
}

const shownRow = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString('base64') : value]),
  );

/** Whole numbers as texts: as doubles, which the library sends, LIMIT of MySQL refuses them. */
const asParameter = (value: unknown): unknown =>
  typeof value === 'boolean' ? Number(value) : Number.isInteger(value) ? String(value) : value;

/**
 * A read-only transaction keeps data from changes, but not files and settings of the server.
 *
 * @throws Fault NOT_CONFIGURED
 */
function requireReading(text: string): void {
  const bare = withoutTexts('mysql', text);
  const isReading = /^[\s(]*(select|with|show|describe|desc|explain|values|table)\b/i.test(bare);
  if (isReading && !/\b(outfile|dumpfile)\b/i.test(bare) && !/\/\*M?!/i.test(text)) return;
  throw misconfigured(
    'A statement that reads begins with SELECT, WITH, SHOW, DESCRIBE, EXPLAIN, VALUES or TABLE, and writes no file',
    'Give the endpoint the method Post, Put, Patch, Delete or Execute for one that writes.',
  );
}
