// Connectors against a real PostgreSQL, started by the test; skipped where Debian's postgresql is missing.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import type { Reach } from '../../src/kernel/reach.ts';
import { createDatabases } from '../../src/outside/databases.ts';
import { createDoor } from '../../src/outside/door.ts';
import { defaultPolicy } from '../../src/ports/tenant-policy.ts';

const versions = '/usr/lib/postgresql';
const [newest] = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
const bin = newest === undefined ? null : join(versions, newest, 'bin');
const isRoot = process.getuid?.() === 0;
/** PostgreSQL does not start as root. */
const account = () => {
  try {
    const id = (what: string) =>
      Number(execFileSync('id', [what, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  } catch {
    return null;
  }
};
const as = account();
const reason = bin === null ? 'postgresql is not installed' : as === null ? 'there is no user postgres' : null;
if (reason) console.info(`skipped: connectors to PostgreSQL, because ${reason}`);

const password = 'planted-password-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'rivulet-postgres-'));
let server: ChildProcess;
let port: number;
let reach: Reach = 'private';
const log = createLogger({ level: 'silent', pretty: false });
const door = createDoor({
  reachOf: () => reach,
  policies: { of: async () => defaultPolicy as never },
  clock: systemClock,
  log,
});
const databases = createDatabases({ door, foldersOf: () => [] });
const url = (more = '', secret = password) => `postgres://robot:${secret}@127.0.0.1:${port}/postgres${more}`;
const run = (text: string, more: object = {}, connection = url()) =>
  databases.run(connection, { tenantId: 1, text, values: {}, writes: false, mostRows: 3, timeoutMs: 5000, ...more });

const freePort = () =>
  new Promise<number>((done) => {
    const one = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = one.address() as AddressInfo;
      one.close(() => done(found));
    });
  });

describe.skipIf(reason !== null)('PostgreSQL', () => {
  beforeAll(async () => {
    port = await freePort();
    if (as && 'uid' in as) chownSync(folder, as.uid as number, as.gid as number);
    const pwfile = join(folder, 'password');
    writeFileSync(pwfile, password);
    if (as && 'uid' in as) chownSync(pwfile, as.uid as number, as.gid as number);
    const dataDir = join(folder, 'data');
    const init = ['-D', dataDir, '-U', 'robot', '-A', 'scram-sha-256', `--pwfile=${pwfile}`, '--no-sync'];
    execFileSync(join(bin ?? '', 'initdb'), init, { ...as, cwd: folder, stdio: 'ignore' });
    const options = ['-D', dataDir, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F'];
    server = spawn(join(bin ?? '', 'postgres'), options, { ...as, cwd: folder, stdio: 'ignore' });
    await vi.waitFor(() => run('SELECT 1'), { timeout: 60_000, interval: 50 });
    await run('CREATE TABLE orders (id int PRIMARY KEY, who text, at timestamptz)', { writes: true });
  });
  afterAll(async () => {
    const ended = new Promise((done) => server?.once('exit', done));
    server?.kill('SIGINT');
    if (server) await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes parameters beside the text, casts and quoted colons as they are', async () => {
    const insert = 'INSERT INTO orders (id, who) SELECT n, :who FROM generate_series(1, :count::int) n';
    expect(await run(insert, { writes: true, values: { who: "a'); DROP TABLE orders; --", count: 5 } })).toMatchObject({
      changed: 5,
    });
    const { rows, truncated } = await run("SELECT id, ':who' AS plain FROM orders WHERE who = :who ORDER BY id", {
      values: { who: "a'); DROP TABLE orders; --" },
    });
    expect([rows, truncated]).toEqual([[1, 2, 3].map((id) => ({ id, plain: ':who' })), true]);
  });

  it('changes nothing where it only reads, whatever the statement says', async () => {
    await expect(run('DELETE FROM orders')).rejects.toThrow(/read-only transaction/);
    await expect(run('WITH gone AS (DELETE FROM orders RETURNING 1) SELECT * FROM gone')).rejects.toThrow(/read-only/);
    await expect(run('SELECT 1; COMMIT; DELETE FROM orders')).rejects.toThrow(/multiple commands/);
    await expect(run('COMMIT')).resolves.toBeDefined();
    expect((await run('SELECT count(*)::int AS n FROM orders')).rows).toEqual([{ n: 5 }]);
  });

  it('ends what takes too long, and says when a password is wrong, without it', async () => {
    await expect(run('SELECT pg_sleep(60)', { timeoutMs: 500 })).rejects.toMatchObject({ code: 'CONNECTOR_TIMEOUT' });
    const wrong = await run('SELECT 1', {}, url('', 'planted-wrong')).catch((error) => error);
    expect([wrong.code, wrong.field, wrong.message.includes('planted')]).toEqual([
      'CONNECTOR_ERROR',
      'credentials',
      false,
    ]);
    const stop = new AbortController();
    const asked = run('SELECT pg_sleep(60)', { signal: stop.signal });
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(asked).rejects.toThrow('stopped');
  });

  it('goes to no private address that it may not, to no socket and to no file', async () => {
    for (const more of ['?host=/var/run/postgresql', '?sslrootcert=/etc/passwd', '?sslmode=allow'])
      await expect(run('SELECT 1', {}, url(more)), more).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    reach = 'public';
    await expect(run('SELECT 1')).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    await expect(run('SELECT 1', {}, url().replace('127.0.0.1', 'localhost'))).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
    });
    reach = 'private';
  });
});
