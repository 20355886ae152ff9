// A store of an earlier version: opened, migrated, also when that is cut short, and served as it was.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collections } from '../../src/wiring/storage.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { adminKey, request, startTestServer, type TestServer } from '../support/test-server.ts';

const folderOf = (name: string) => join(import.meta.dirname, 'old-store', name);
const unpacked = async (name: string) => gunzipSync(await readFile(folderOf(name)));
/** The store in a folder. The run that waits has done so for a moment only: with the time since then its budget would be spent. */
async function putStore(folder: string): Promise<void> {
  const file = join(folder, 'rivulet.db');
  await writeFile(file, await unpacked('rivulet.db.gz'));
  const waiting = `json_extract(doc, '$.activeSince') IS NOT NULL`;
  const update = `UPDATE d_agent_runs SET doc = json_set(doc, '$.activeSince', ${Date.now()}) WHERE ${waiting}`;
  // In a process of its own: here a closed connection lives on until it is collected, and being the last one at that
  // moment, while the server is dead, it would take the server's log away.
  const edit = `const Database = require('libsql'); new Database(process.argv[1]).exec(process.argv[2])`;
  execFileSync(process.execPath, ['--eval', edit, file, update], { cwd: import.meta.dirname });
}
const { secret, answers } = JSON.parse((await unpacked('answers.json.gz')).toString('utf8')) as {
  secret: string;
  answers: Record<string, unknown>;
};
const scenarios: Record<string, object> = {
  asks: {
    turns: [{ toolCalls: [{ name: 'run_escalate', arguments: { situation: 'May they moor?' } }] }, { text: 'done' }],
  },
};

/** What is of the moment, not of the store. */
const passing = new Set([
  'lastUsedAtUtc',
  'lastUsedIp',
  'lastSeenAtUtc',
  'updatedAtUtc',
  'elapsedMs',
  'healthState',
  'lastCheckedAtUtc',
  'totalCount',
]);

/** False for what comes from the environment of the server that answers. */
const isStored = (item: unknown) =>
  typeof item !== 'object' || item === null || Reflect.get(item, 'source') !== 'Environment';

/** What was answered, to be found again: later versions may add fields. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(isStored).map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  // Profiles of the system's roles that nobody has changed follow the version.
  const seeded = 'blockedTools' in value && /^What runs of the role/.test(String(Reflect.get(value, 'description')));
  const kept = Object.entries(value).filter(([name]) => !passing.has(name) && !(seeded && name === 'blockedTools'));
  return Object.fromEntries(kept.map(([name, part]) => [name, lasting(part)]));
}

/** Fields whose name says that they hold a time, and which hold a number. */
function numericTimes(document: object): string[] {
  return Object.entries(document).flatMap(([name, value]) => {
    if (typeof value === 'number') return /(^at|At|Utc|Until|Since)$/.test(name) ? [name] : [];
    return typeof value === 'object' && value !== null ? numericTimes(value) : [];
  });
}

async function serves(url: string): Promise<void> {
  for (const [path, answer] of Object.entries(answers)) {
    const { status, body } = await request(url, 'GET', path, undefined, { authorization: `Bearer ${adminKey}` });
    expect([path, status]).toEqual([path, 200]);
    expect({ path, data: lasting(body.data) }).toMatchObject({ path, data: lasting(answer) });
  }
}

describe('a store of an earlier version', () => {
  let folder: string;
  let server: TestServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rivulet-old-'));
    await putStore(folder);
    for (const [name, scenario] of Object.entries(scenarios))
      await writeFile(join(folder, `${name}.json`), JSON.stringify(scenario));
    server = await startTestServer({
      RIVULET_DATA: folder,
      RIVULET_SECRET: secret,
      RIVULET_SCENARIOS: folder,
      RIVULET_MODEL: 'scripted:echo',
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is served as it was', () => serves(server.url));

  it('keeps all in declared collections, in one spelling, with times as Dates where they do not say otherwise', () => {
    const store = new Database(join(folder, 'rivulet.db'), { readonly: true });
    const tables = store.prepare(
      `SELECT substr(name, 3) AS name FROM sqlite_master WHERE type = 'table' AND name GLOB 'd_*'`,
    );
    const names = (tables.all() as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z][a-z\d]*(_[a-z]+)*$/.test(name))).toEqual([]);
    const declared = new Map(collections.map((one) => [one.name, one]));
    expect(names.filter((name) => !declared.has(name))).toEqual([]);
    const numeric = names
      .filter((name) => declared.get(name)?.times !== 'ms')
      .flatMap((name) => {
        const documents = store.prepare(`SELECT doc FROM "d_${name}"`).all() as { doc: string }[];
        return documents.flatMap(({ doc }) => numericTimes(JSON.parse(doc)).map((field) => `${name}.${field}`));
      });
    expect([...new Set(numeric)]).toEqual([]);
    store.close();
  });

  it('goes on: who waited is decided, and who has ended starts again', async () => {
    const { items } = (await server.call('GET', '/api/agent/escalations')).body.data;
    const [{ id, runId }] = items;
    expect((await server.call('POST', `/api/agent/escalations/${id}/resolve`, { decision: 'Yes' })).status).toBe(200);
    const status = async (run: number) => (await server.call('GET', `/api/agent/runs/${run}`)).body.data.status;
    await expect.poll(() => status(runId), { timeout: 20_000 }).toBe('Completed');
    const ended = (await server.call('GET', '/api/agent/runs?status=Completed&sort=createdAtUtc')).body.data.items[0];
    expect((await server.call('POST', `/api/agent/runs/${ended.id}/restart`, {})).status).toBe(200);
    await expect.poll(() => status(ended.id), { timeout: 20_000 }).toBe('Completed');
  });
});

describe('a migration that is cut short by kill -9', () => {
  let server: ChildServer;
  beforeAll(async () => {
    server = await createChildServer({ RIVULET_SECRET: secret, RIVULET_ADMIN_KEY: adminKey, RIVULET_LOG: 'info' });
    await putStore(server.folder);
  });
  afterAll(() => server.close());

  it('goes on at the next start, and all is served', async () => {
    const first = server.start().catch(() => null);
    await expect.poll(() => server.output, { timeout: 20_000, interval: 1 }).toContain('migrating the database');
    await server.kill();
    await first;
    await server.start();
    await serves(server.baseUrl);
  });
});
