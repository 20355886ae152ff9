// Backups of a server at work, taken by the command on its data folder or by the server itself, and restored into an empty one.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { restore } from '../../src/stores/backup/restore.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

const root = resolve(import.meta.dirname, '../..');

let server: ChildServer;
let client: Client;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-backup-'));
  server = await createChildServer({ RIVULET_BACKUPS: join(folder, 'own') });
  await server.start();
  client = createClient({ baseUrl: server.baseUrl, token: server.key });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command as an operator does; the exit code and all that it printed. */
async function command(name: string, target: string, environment: Record<string, string>) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/server/cli/rivulet.js', name, target], {
      cwd: root,
      env: { PATH: process.env.PATH, ...environment },
    });
    return { code: 0, said: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, said: stderr };
  }
}

/** Notes on a run, one after the other, until it is stopped; gives the ids that were acknowledged. */
function writeNotes(runId: number) {
  const acknowledged: number[] = [];
  let stopped = false;
  const writers = Array.from({ length: 4 }, async () => {
    while (!stopped) {
      const note = await client.agentNotes.create({ params: { runId }, body: { content: 'x'.repeat(2000) } });
      acknowledged.push(note.id);
    }
  });
  const stop = () => {
    stopped = true;
    return Promise.all(writers);
  };
  return { acknowledged, stop };
}

async function notesOf(api: Client, runId: number): Promise<Set<number>> {
  const ids = new Set<number>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const found = await api.agentNotes.list({ params: { runId }, query: { page, pageSize: 200 } });
    for (const { id } of found.items) ids.add(id);
    pages = Math.ceil(found.totalCount / 200);
  }
  return ids;
}

// First, while there is little to back up and to restore.
describe('commands say what is wrong', () => {
  const backup = () => join(folder, 'good');
  beforeAll(async () => {
    expect((await command('backup', backup(), { RIVULET_DATA: server.folder })).code).toBe(0);
  });
  const refused = async (name: string, target: string, data: string) => {
    const { code, said } = await command(name, target, { RIVULET_DATA: data });
    expect(code).toBe(1);
    return said;
  };

  it('of folders without data, targets that are not empty, and targets within the data', async () => {
    const empty = await mkdtemp(join(folder, 'empty-'));
    expect(await refused('backup', join(folder, 'a'), empty)).toMatch(/no data of Rivulet.*\nName the folder/);
    expect(await readdir(empty)).toEqual([]);
    expect(await refused('backup', backup(), server.folder)).toMatch(/is not empty.*\nName a new folder/);
    expect(await refused('backup', join(server.folder, 'b'), server.folder)).toMatch(/would be lost with it/);
    expect(await refused('restore', backup(), server.folder)).toMatch(
      /is not empty.*\nA backup is restored into an empty/,
    );
    expect(await refused('restore', empty, join(folder, 'c'))).toMatch(/no complete backup/);
    expect((await command('backup', '', { RIVULET_DATA: server.folder })).code).toBe(2);
  });

  it.each([
    [
      'a file that was cut off',
      (copy: string) => truncate(join(copy, 'data/rivulet.db'), 5000),
      /rivulet\.db is not what/,
    ],
    [
      'a file that was changed',
      (copy: string) => writeFile(join(copy, 'data/secret'), 'x'.repeat(43)),
      /secret is not what/,
    ],
    ['a file that is missing', (copy: string) => rm(join(copy, 'data/secret')), /secret is missing/],
    [
      'a list that was cut off',
      (copy: string) => truncate(join(copy, 'backup.json'), 30),
      /backup\.json can't be read/,
    ],
    ['no list', (copy: string) => rm(join(copy, 'backup.json')), /no complete backup/],
  ])('of backups with %s, and leave nothing behind', async (_, harm, message) => {
    const place = await mkdtemp(join(folder, 'harmed-'));
    const copy = join(place, 'copy');
    await cp(backup(), copy, { recursive: true });
    await harm(copy);
    await expect(restore({ backup: copy, dataFolder: join(place, 'data') })).rejects.toThrow(message);
    expect(await readdir(place)).toEqual(['copy']);
  });

  it('of a path in the list that leads out', async () => {
    const copy = join(await mkdtemp(join(folder, 'escape-')), 'copy');
    await cp(backup(), copy, { recursive: true });
    const list = JSON.parse(await readFile(join(copy, 'backup.json'), 'utf8'));
    list.entries.push({ path: '../../out', kind: 'link', mode: 0, uid: 0, gid: 0, target: '/etc/passwd' });
    await writeFile(join(copy, 'backup.json'), JSON.stringify(list));
    const restoring = restore({ backup: copy, dataFolder: join(copy, '../data') });
    await expect(restoring).rejects.toThrow(/leads out of it/);
  });
});

describe('a backup under load', () => {
  it('restores with everything that was acknowledged before it, and runs go on', async () => {
    const run = await client.agentRuns.create({ body: { goal: 'Be written to.' } });
    const place = await client.workspaces.create({ body: { name: 'Kept' } });
    const file = { path: 'hello.txt', text: 'Hello.' };
    await client.workspaces.write({ params: { id: place.id }, body: file });
    const snapshot = await client.workspaces.snapshot({ params: { id: place.id }, body: { label: 'First' } });

    const notes = writeNotes(run.id);
    await expect.poll(() => notes.acknowledged.length).toBeGreaterThan(100);
    const before = [...notes.acknowledged];
    const backup = join(folder, 'under-load');
    const taken = await command('backup', backup, { RIVULET_DATA: server.folder });
    expect(taken).toMatchObject({ code: 0, said: expect.stringMatching(/^Backed up .*: \d+ files/) });
    expect(notes.acknowledged.length).toBeGreaterThan(before.length);
    await notes.stop();

    const data = join(folder, 'restored');
    expect(await command('restore', backup, { RIVULET_DATA: data })).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^Restored the backup of 20/),
    });
    for (const secret of ['rivulet.db', 'secret']) expect((await stat(join(data, secret))).mode & 0o777).toBe(0o600);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    const restored = await createChildServer({ RIVULET_DATA: data });
    onTestFinished(() => restored.close());
    await restored.start();
    const api = createClient({ baseUrl: restored.baseUrl, token: restored.key });
    const kept = await notesOf(api, run.id);
    expect(before.filter((id) => !kept.has(id))).toEqual([]);
    const read = { params: { id: place.id }, query: { path: 'hello.txt', snapshotId: snapshot.id } };
    expect((await api.workspaces.read(read)).text).toBe('Hello.');
    await api.workspaces.write({ params: { id: place.id }, body: { path: 'more.txt', text: 'More.' } });
    await api.agentRuns.start({ params: { id: run.id } });
    await expect
      .poll(async () => (await api.agentRuns.get({ params: { id: run.id } })).iterationsUsed)
      .toBeGreaterThan(0);
    // Ids go on above those that the first server gave after the backup was taken or not: none is given twice in one.
    const note = await api.agentNotes.create({ params: { runId: run.id }, body: { content: 'Later.' } });
    expect(kept.has(note.id)).toBe(false);
  });
});

describe('a backup that the server takes itself', () => {
  const jobs = async () => (await client.maintenance.status()).runs.filter(({ task }) => task === 'Backup');
  const start = () => client.maintenance.start({ body: { task: 'Backup' } });

  it('is done after a kill -9 in its middle, and restores with everything that was acknowledged before it', async () => {
    const run = await client.agentRuns.create({ body: { goal: 'Be written to.', modelId: 'scripted:hello' } });
    // Large enough that copying takes a while.
    const messages = 20;
    const { id: sessionId } = await client.chat.create({ body: { title: 'Large' } });
    for (let at = 0; at < messages; at++)
      await client.chat.addMessage({
        params: { sessionId },
        body: { role: 'user', content: `${at % 10}`.repeat(400_000) },
      });
    const asked = start().catch(() => null);
    const own = () => readdir(join(folder, 'own')).catch(() => []);
    await expect.poll(own).toHaveLength(1);
    await server.kill();
    await asked;
    await server.start();
    await expect.poll(async () => (await jobs()).map(({ state }) => state)).toEqual(['Succeeded']);
    // What the crash cut short is gone, unless the process that copies, which outlives its server, has completed it.
    const unfinished = async () => {
      const names = await own();
      const whole = await Promise.all(
        names.map(async (name) => (await readdir(join(folder, 'own', name))).includes('backup.json')),
      );
      return names.filter((_, at) => !whole[at]);
    };
    await expect.poll(unfinished).toEqual([]);

    const notes = writeNotes(run.id);
    await expect.poll(() => notes.acknowledged.length).toBeGreaterThan(100);
    const before = [...notes.acknowledged];
    await start();
    await expect.poll(async () => (await jobs()).map(({ state }) => state)).toEqual(['Succeeded', 'Succeeded']);
    expect(notes.acknowledged.length).toBeGreaterThan(before.length);
    await client.agentRuns.start({ params: { id: run.id } });
    await notes.stop();

    const [newest] = await jobs();
    const { folder: taken, restore } = JSON.parse(newest?.resultJson ?? '{}');
    expect(restore).toBe(`RIVULET_DATA=<empty folder> npm run restore -- ${taken}`);
    const data = join(folder, 'restored-own');
    expect(await command('restore', taken, { RIVULET_DATA: data })).toMatchObject({ code: 0 });
    const restored = await createChildServer({ RIVULET_DATA: data });
    onTestFinished(() => restored.close());
    await restored.start();
    const api = createClient({ baseUrl: restored.baseUrl, token: restored.key });
    const kept = await notesOf(api, run.id);
    expect(before.filter((id) => !kept.has(id))).toEqual([]);
    expect((await api.chat.get({ params: { id: sessionId } })).messageCount).toBe(messages);
    await api.agentRuns.start({ params: { id: run.id } });
    await expect.poll(async () => (await api.agentRuns.get({ params: { id: run.id } })).status).toBe('Completed');
    // The job that was taken along ends there, too, and no second one is under way.
    await expect
      .poll(async () => (await api.maintenance.status()).runs.map(({ state }) => state))
      .not.toContain('Running');
  });
});
