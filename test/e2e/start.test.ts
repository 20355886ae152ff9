// What the program says and does beside serving: a port that is taken, and a new sign-in link at any time.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { asBuilt } from '../support/child/build.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

const root = resolve(import.meta.dirname, '../..');
/** A folder of somebody else. */
const theirs = mkdtempSync(join(tmpdir(), 'rivulet-etc-'));
writeFileSync(join(theirs, 'passwd'), '');
const fresh = mkdtempSync(join(tmpdir(), 'rivulet-fresh-'));

describe('the program', () => {
  let server: ChildServer;
  beforeAll(async () => {
    server = await createChildServer({}, asBuilt);
    await server.start();
  });
  afterAll(async () => {
    await server.close();
    for (const folder of [theirs, fresh]) rmSync(folder, { recursive: true });
  });

  /** The token that the command prints. */
  const link = async (folder: string, publicUrl?: string) => {
    const env = { PATH: process.env.PATH, RIVULET_DATA: folder, RIVULET_PORT: String(server.port) };
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/rivulet.mjs', 'admin', 'link'], {
      cwd: root,
      env: publicUrl === undefined ? env : { ...env, RIVULET_PUBLIC_URL: publicUrl },
    });
    expect(stdout).toContain(`${publicUrl ?? server.baseUrl}/#/signin?token=sgn_`);
    return /token=(\S+)/.exec(stdout)?.[1] ?? '';
  };
  const signIn = (refreshToken: string) =>
    createClient({ baseUrl: server.baseUrl }).auth.refresh({ body: { refreshToken } });

  it('prints sign-in links that work once, whether it is running or not', async () => {
    const whileRunning = await link(server.folder, 'https://rivulet.test');
    const { accessToken, user } = await signIn(whileRunning);
    expect(user.username).toBe('admin');
    expect((await createClient({ baseUrl: server.baseUrl, token: accessToken }).auth.me()).kind).toBe('User');
    await expect(signIn(whileRunning)).rejects.toMatchObject({ status: 401, code: 'TOKEN_REVOKED' });
    // The session that came of it is not ended by somebody who opens the link again.
    await createClient({ baseUrl: server.baseUrl, token: accessToken }).auth.me();

    await server.stop();
    const whileStopped = await link(server.folder);
    await server.start();
    const both = await Promise.allSettled([signIn(whileStopped), signIn(whileStopped)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const other = await createChildServer({}, asBuilt);
    writeFileSync(join(other.folder, 'secret'), 'o'.repeat(43));
    await expect(signIn(await link(other.folder))).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    await other.close();
  });

  it.each([
    ['RIVULET_LOG_KEPT_DAYS', 'a while'],
    ['RIVULET_SCENARIOS', '/nowhere/at/all'],
    // Where Node itself tries for ever to make a folder.
    ['RIVULET_DATA', '/proc/rivulet'],
    ['RIVULET_DATA', theirs],
  ])('ends with 2 where %s is "%s", and names it', async (name, value) => {
    const wrong = await createChildServer({ [name]: value }, asBuilt);
    await expect(wrong.start()).rejects.toThrow(/ended with 2/);
    expect(wrong.output).toContain(`${name}: `);
    expect(wrong.output).not.toMatch(/\n\s+at |NaN/);
    await wrong.close();
  });

  it.each(['nightly', '0 0 31 2 *'])(
    'ends with 2 where RIVULET_BACKUP_SCHEDULE is "%s", without a store',
    async (cron) => {
      const data = join(fresh, cron.slice(0, 1));
      const wrong = await createChildServer({ RIVULET_BACKUP_SCHEDULE: cron, RIVULET_DATA: data }, asBuilt);
      await expect(wrong.start()).rejects.toThrow(/ended with 2/);
      expect(wrong.output).toMatch(
        /RIVULET_BACKUP_SCHEDULE: The cron expression cannot be used: .*\n(Write|Name a day)/,
      );
      expect(wrong.output).not.toMatch(/\n\s+at /);
      expect(readdirSync(data)).toEqual(['secret']);
      await wrong.close();
    },
  );

  // As the first process of a container, which hears no signal that it has not asked for.
  it('ends at once by a signal while it starts', async () => {
    const asked = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void asked.close());
    await once(asked, 'listening');
    const { port } = asked.address() as AddressInfo;
    const folder = mkdtempSync(join(tmpdir(), 'rivulet-start-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const data = { RIVULET_DATA: folder, RIVULET_PORT: '0', MONGODB_URI: `mongodb://127.0.0.1:${port}/none` };
    const env = { PATH: process.env.PATH, ...data };
    const starting = spawn(process.execPath, ['dist/server/main.js'], { cwd: root, env });
    const ended = once(starting, 'exit');
    const [socket] = (await once(asked, 'connection')) as [Socket];
    starting.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    socket.destroy();
  });

  // Before it reads what it serves with, so alike on all transports; what each says is held where they are.
  it('says that its port is taken, and by which setting to choose another', async () => {
    const second = await createChildServer({ RIVULET_PORT: String(server.port) }, asBuilt);
    await expect(second.start()).rejects.toThrow(/ended with 1/);
    expect(second.output).toContain(`The port ${server.port} is in use`);
    expect(second.output).toContain('RIVULET_PORT');
    expect(second.output).not.toMatch(/\n\s+at /);
    await second.close();
  });

  // The first is an address for documents, which no machine has; the second is no address, and no name.
  it.each(['203.0.113.1', '999.1.1.1'])(
    'says that it cannot listen on %s, and by which setting to choose another address',
    async (host) => {
      const elsewhere = await createChildServer({ RIVULET_HOST: host }, asBuilt);
      await expect(elsewhere.start()).rejects.toThrow(/ended with 2/);
      expect(elsewhere.output).toContain(`RIVULET_HOST: this machine cannot listen on ${host}`);
      expect(elsewhere.output).not.toMatch(/\n\s+at |in use/);
      await elsewhere.close();
    },
  );
});
