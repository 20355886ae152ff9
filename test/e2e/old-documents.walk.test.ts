// One document of each kind as an earlier version stored it: all that reads one answers, by today's schema.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import type { Entity } from '../../src/ports/db.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { operations, paramsOf } from '../support/operations.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { unpackDocument } from './old-store/packed.ts';

const at = (name: string) => readFile(join(import.meta.dirname, 'old-store', name));
/** These end when their topic does, or ask a server of others. */
const isElsewhere = (id: string) => /^(Email|RealTime|Events|WebSocket)_|_(stream|wait|events)$/.test(id);

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-old-documents-'));
  const { secret, documents } = JSON.parse(gunzipSync(await at('documents-2026-11-27.json.gz')).toString()) as {
    secret: string;
    documents: Record<string, unknown[]>;
  };
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
  for (const [name, some] of Object.entries(documents))
    await db.collection(name).insertMany(some.map(unpackDocument) as Entity[]);
  await db.close();
  server = await startTestServer({ RIVULET_DATA: folder, RIVULET_SECRET: secret, RIVULET_MODEL: 'scripted:echo' });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const lists = new Map<string, Promise<{ body: { data: { items?: unknown[] } | unknown[] | null } }>>();
/** What stands for a parameter in a path: what the list before it names. */
async function idsIn(list: string, param: string): Promise<unknown[]> {
  const asked = lists.get(list) ?? server.call('GET', list);
  lists.set(list, asked);
  const { data } = (await asked).body;
  const items: unknown[] = Array.isArray(data) ? data : (data?.items ?? []);
  const named = items.map((item) => Object(item)[param] ?? Object(item).id ?? Object(item).key);
  return [...new Set(named)].filter((id) => id !== undefined).slice(0, 4);
}

async function pathsOf(template: string): Promise<string[]> {
  let paths = [''];
  for (const part of template.split('/').slice(1)) {
    const [param] = paramsOf(part);
    if (param === undefined) paths = paths.map((path) => `${path}/${part}`);
    else {
      const next = await Promise.all(
        paths.map(async (path) => (await idsIn(path, param)).map((id) => `${path}/${encodeURIComponent(String(id))}`)),
      );
      paths = next.flat();
    }
  }
  return paths;
}

it('are read by every operation that read them when they were written down', async () => {
  const served = new Set<string>();
  const failed: unknown[] = [];
  for (const { id, method, template } of operations) {
    if (method !== 'GET' || isElsewhere(id)) continue;
    for (const path of await pathsOf(template)) {
      const { status, body } = await server.call('GET', path);
      if (status === 200) served.add(id);
      if (status >= 500) failed.push([path, status, body.error]);
    }
  }
  expect(failed).toEqual([]);
  const before = (await at('served-2026-11-27.txt')).toString().trim().split('\n');
  expect(before.filter((id) => !served.has(id))).toEqual([]);
});
