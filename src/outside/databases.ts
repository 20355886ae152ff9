// Databases: one statement a call, with parameters, limits of time and rows, read-only unless it is to write.
import { realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { bounded } from './bounded-socket.ts';
import { databaseFault, misconfigured, tlsModeOf } from './database-faults.ts';
import type { Door } from './door.ts';
import { runMysql } from './mysql.ts';
import { bound, type Dialect } from './sql.ts';
import type { Rows, Statement } from './statements.ts';
import { createThread } from './thread.ts';

export interface Databases {
  /** @throws Fault CONNECTOR_ERROR with the database's own words, CONNECTOR_TIMEOUT, NOT_CONFIGURED */
  run(connection: string, statement: Statement): Promise<Rows>;
  dialectOf(connection: string): Dialect;
}

interface Deps {
  door: Pick<Door, 'addressOf'>;
  foldersOf(tenantId: number): readonly string[];
}

export function createDatabases({ door, foldersOf }: Deps): Databases {
  return {
    dialectOf,
    run: (connection, statement) => {
      const dialect = dialectOf(connection);
      if (dialect === 'postgres') return runPostgres(door, connection, statement);
      if (dialect === 'mysql') return runMysql(door, connection, statement);
      return runSqlite(sqliteFile(connection, foldersOf(statement.tenantId)), statement);
    },
  };
}

/** @throws Fault NOT_CONFIGURED */
function dialectOf(connection: string): Dialect {
  if (/^postgres(ql)?:\/\//.test(connection) && URL.canParse(connection)) return 'postgres';
  if (/^(mysql|mariadb):\/\//.test(connection) && URL.canParse(connection)) return 'mysql';
  if (connection.startsWith('file:///') && URL.canParse(connection)) return 'sqlite';
  throw misconfigured(
    'The connection string is of no database that can be called',
    'Give postgres:// or mysql://user:password@host/database, or file:///folder/data.db.',
  );
}

/** Connects to the address that the door has judged, and to no socket or file that the string may name. */
async function runPostgres(door: Deps['door'], connection: string, statement: Statement): Promise<Rows> {
  const url = new URL(connection);
  const port = Number(url.port || 5432);
  const mode = tlsModeOf(url);
  const address = await door.addressOf(statement.tenantId, url.hostname, port);
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const { Client } = await import('pg');
  const client = new Client({
    ...{ host: url.hostname, port, user, password, database: decodeURIComponent(url.pathname.slice(1)) || user },
    ...{
      application_name: 'rivulet',
      connectionTimeoutMillis: statement.timeoutMs,
      statement_timeout: statement.timeoutMs,
    },
    query_timeout: statement.timeoutMs,
    ssl: mode === 'disable' ? false : { servername: url.hostname, rejectUnauthorized: mode === 'verify-full' },
    stream: () => toAddress(address),
  } as ConstructorParameters<typeof Client>[0]);
  client.on('error', () => undefined);
  const abort = () => void client.end().catch(() => undefined);
  statement.signal?.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
    return await inTransaction(client, statement);
  } catch (error) {
    statement.signal?.throwIfAborted();
    throw databaseFault(error, statement.timeoutMs);
  } finally {
    statement.signal?.removeEventListener('abort', abort);
    await client.end().catch(() => undefined);
  }
}

/** A socket that goes to one address, whatever host it is told to connect to. */
function toAddress(address: string): Socket {
  const socket = bounded(new Socket());
  const connect = socket.connect.bind(socket) as (port: number, host: string) => Socket;
  socket.connect = ((port: number) => connect(port, address)) as never;
  return socket;
}

async function inTransaction(client: Client, { text, values, writes, mostRows }: Statement): Promise<Rows> {
  const { text: sql, values: given } = bound('postgres', text, values);
  await client.query(writes ? 'BEGIN' : 'BEGIN READ ONLY');
  const { default: Cursor } = await import('pg-cursor');
  const cursor = client.query(new Cursor<Record<string, unknown>>(sql, given));
  const found = await cursor.read(mostRows + 1);
  const { rowCount, command } = (cursor as unknown as { _result: { rowCount: number | null; command: string | null } })
    ._result;
  await cursor.close();
  await client.query(writes ? 'COMMIT' : 'ROLLBACK');
  const changes = command !== null && command !== 'SELECT';
  return {
    rows: found.slice(0, mostRows),
    truncated: found.length > mostRows,
    changed: writes && changes ? (rowCount ?? 0) : null,
  };
}

/** The file of a connection, below a folder that the operator allowed, whatever links lead to. @throws Fault NOT_CONFIGURED */
function sqliteFile(connection: string, folders: readonly string[]): string {
  try {
    const file = realpathSync(fileURLToPath(connection));
    if (folders.some((folder) => file.startsWith(join(realpathSync(folder), sep)))) return file;
  } catch {
    // Told below: whether a file is there is not for everybody to know.
  }
  throw misconfigured(
    'This file is not below a folder that connectors may use',
    'Ask the operator to set RIVULET_CONNECTOR_FOLDERS.',
  );
}

const sqlite = createThread(
  `async function work(Database, { file, sql, values, writes, mostRows }) {
    const db = new Database(file, writes ? { fileMustExist: true } : { readonly: true, fileMustExist: true });
    try {
      const statement = db.prepare(sql);
      const plain = (row) => Object.fromEntries(Object.entries(row).map(([name, value]) =>
        [name, Buffer.isBuffer(value) || value instanceof Uint8Array ? Buffer.from(value).toString('base64') : typeof value === 'bigint' ? String(value) : value]));
      if (!statement.reader) {
        if (!writes) throw new Error('attempt to write a readonly database');
        return { rows: [], truncated: false, changed: statement.run(...values).changes };
      }
      const rows = [];
      for (const row of statement.iterate(...values)) {
        rows.push(plain(row));
        if (rows.length > mostRows) break;
      }
      return { rows: rows.slice(0, mostRows), truncated: rows.length > mostRows, changed: null };
    } finally {
      db.close();
    }
  }`,
  'libsql',
);

async function runSqlite(file: string, { text, values, writes, mostRows, timeoutMs }: Statement): Promise<Rows> {
  // What another file holds is not this connector's.
  if (/\b(attach|vacuum\s+into|load_extension)\b/i.test(text))
    throw misconfigured('A statement may not open other files', 'Leave out ATTACH and VACUUM INTO.');
  const { text: sql, values: given } = bound('sqlite', text, values);
  const asSqlite = given.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  try {
    return (await sqlite.ask({ file, sql, values: asSqlite, writes, mostRows }, timeoutMs)) as Rows;
  } catch (error) {
    throw databaseFault(error, timeoutMs);
  }
}
