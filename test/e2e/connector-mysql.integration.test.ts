// Connectors against a real MariaDB, started by the test; skipped where Debian's mariadb-server is missing.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import type { Reach } from '../../src/kernel/reach.ts';
import { createDatabases } from '../../src/outside/databases.ts';
import { createDoor } from '../../src/outside/door.ts';
import { tableStatement } from '../../src/outside/sql.ts';
import { defaultPolicy } from '../../src/ports/tenant-policy.ts';

const program = '/usr/sbin/mariadbd';
const install = '/usr/bin/mariadb-install-db';
const isThere = existsSync(program);
if (!isThere) console.info('skipped: connectors to MySQL, because mariadb-server is not installed');

const password = 'planted-password-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'rivulet-mariadb-'));
let server: ChildProcess;
let port: number;
let reach: Reach = 'private';
const door = createDoor({
  reachOf: () => reach,
  policies: { of: async () => defaultPolicy as never },
  clock: systemClock,
  log: createLogger({ level: 'silent', pretty: false }),
});
const databases = createDatabases({ door, foldersOf: () => [] });
const url = (more = '', secret = password) => `mysql://robot:${secret}@127.0.0.1:${port}/shop${more}`;
const run = (text: string, more: object = {}, connection = url()) =>
  databases.run(connection, { tenantId: 1, text, values: {}, writes: false, mostRows: 3, timeoutMs: 5000, ...more });
const write = (text: string, values: object = {}) => run(text, { writes: true, values });

const freePort = () =>
  new Promise<number>((done) => {
    const one = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = one.address() as AddressInfo;
      one.close(() => done(found));
    });
  });

describe.skipIf(!isThere)('MariaDB', () => {
  beforeAll(async () => {
    port = await freePort();
    const user = process.getuid?.() === 0 ? ['--user=root'] : [];
    const paths = [`--datadir=${join(folder, 'data')}`, ...user];
    execFileSync(install, [...paths, '--skip-test-db', '--auth-root-authentication-method=normal'], {
      stdio: 'ignore',
    });
    const socket = join(folder, 's');
    const options = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${socket}`, '--skip-networking=0'];
    server = spawn(program, ['--no-defaults', ...paths, ...options], { stdio: 'ignore' });
    const asRoot = `mysql://root@127.0.0.1:${port}/mysql`;
    const root = (text: string) => run(text, { writes: true }, asRoot);
    await vi.waitFor(() => root('SELECT 1'), { timeout: 60_000, interval: 50 });
    await root('CREATE DATABASE shop');
    // It may write files: what it is kept from, this server keeps it from.
    await root(`GRANT ALL ON *.* TO robot@'127.0.0.1' IDENTIFIED BY '${password}'`);
    await write('CREATE TABLE orders (id int PRIMARY KEY, who varchar(80), raw blob, big bigint)');
  }, 120_000);
  afterAll(async () => {
    const ended = new Promise((done) => server?.once('exit', done));
    server?.kill('SIGTERM');
    if (server) await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes parameters beside the text; quoted colons, backslashes and comments are as they are', async () => {
    const who = "a'); DROP TABLE orders; --";
    const rows = [1, 2, 3, 4, 5].map((id) =>
      write('INSERT INTO orders VALUES (:id, :who, :who, :big)', { id, who, big: '9007199254740993' }),
    );
    expect(await Promise.all(rows)).toEqual(Array(5).fill({ rows: [], truncated: false, changed: 1 }));
    const text =
      "SELECT id, 'it\\'s :who' AS `a:b`, big /* :x */ FROM orders WHERE who = :who ORDER BY id LIMIT :most # :y";
    const found = await run(text, { values: { who, most: 4 } });
    expect(found).toEqual({
      rows: [1, 2, 3].map((id) => ({ id, 'a:b': "it's :who", big: '9007199254740993' })),
      truncated: true,
      changed: null,
    });
    expect((await run('SELECT raw FROM orders WHERE id = 1')).rows).toEqual([
      { raw: Buffer.from(who).toString('base64') },
    ]);
    const columns = [
      { name: 'id', column: 'id', isKey: true },
      { name: 'who', column: 'who', isKey: false },
    ];
    const update = tableStatement('mysql', 'Put', { schema: 'shop', name: 'orders' }, columns, 3);
    expect(await write(update, { id: 5, who: 'eve' })).toMatchObject({ changed: 1 });
    const nowhere = tableStatement('mysql', 'Get', { schema: null, name: 'orders` WHERE 1=1; -- ' }, [], 3);
    await expect(run(nowhere)).rejects.toThrow(/doesn't exist|Incorrect table name/);
  });

  it('changes nothing where it only reads, whatever the statement says', async () => {
    await write('CREATE PROCEDURE clear_orders() BEGIN COMMIT; DELETE FROM orders; END');
    await write('CREATE FUNCTION gone() RETURNS int BEGIN DELETE FROM orders; RETURN 1; END');
    const files = join(folder, 'out');
    mkdirSync(files, { mode: 0o777 });
    for (const text of [
      'DELETE FROM orders',
      '/* SELECT */ DELETE FROM orders',
      '/*!50000 DELETE FROM orders */',
      'SELECT 1; DELETE FROM orders',
      'WITH a AS (SELECT 1) DELETE FROM orders',
      'SELECT gone()',
      'CALL clear_orders()',
      'DROP TABLE orders',
      "SET GLOBAL general_log_file = '/tmp/x'",
      `SELECT 'x' INTO/**/OUTFILE '${files}/x'`,
      `SELECT 'x' /*! INTO OUTFILE '${files}/x' */`,
      "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE orders",
    ])
      await expect(run(text), text).rejects.toMatchObject({
        code: expect.stringMatching(/CONNECTOR_ERROR|NOT_CONFIGURED/),
      });
    expect(readdirSync(files)).toEqual([]);
    expect((await run('SELECT count(*) AS n FROM orders')).rows).toEqual([{ n: 5 }]);
    // One that writes may; a file of this machine is not given to the server.
    await expect(write("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE orders")).rejects.toMatchObject({
      code: 'CONNECTOR_ERROR',
    });
  });

  it('ends what takes too long, and says when a password is wrong, without it', async () => {
    await expect(run('SELECT sleep(60)', { timeoutMs: 500 })).rejects.toMatchObject({ code: 'CONNECTOR_TIMEOUT' });
    const wrong = await run('SELECT 1', {}, url('', 'planted-wrong')).catch((error) => error);
    expect([wrong.code, wrong.field, wrong.message.includes('planted')]).toEqual([
      'CONNECTOR_ERROR',
      'credentials',
      false,
    ]);
    const stop = new AbortController();
    const asked = run('SELECT sleep(60)', { signal: stop.signal });
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(asked).rejects.toThrow('stopped');
  });

  it('goes to no private address that it may not, and takes no parameter but sslmode', async () => {
    for (const more of ['?socketPath=/run/mysqld.sock', '?flags=LOCAL_FILES', '?sslmode=allow'])
      await expect(run('SELECT 1', {}, url(more)), more).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    await expect(run('SELECT 1', {}, url('?sslmode=require'))).rejects.toMatchObject({ code: 'CONNECTOR_ERROR' });
    reach = 'public';
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254'])
      await expect(run('SELECT 1', {}, url().replace('127.0.0.1', host))).rejects.toMatchObject({
        code: 'NOT_CONFIGURED',
      });
    reach = 'private';
  });
});
