// One socket that opens topics by the thousand: what it follows is limited, and what it looked at leaves nothing.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdentityDoc } from '../../src/auth/documents.ts';
import { seedStore } from '../support/people.ts';
import { adminKey, startTestServer, type TestServer } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

let server: TestServer;

let folder: string;
/** Identities that are there, since nobody follows what is not. */
const identities = 10_000;
const firstId = 1_000_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-topics-'));
  await seedStore(folder, async ({ tenant, storage }) => {
    const { identityId } = await tenant('default', adminKey);
    const one = (await storage.auth.identities.findOne({ _id: identityId })) as IdentityDoc;
    const all = Array.from({ length: identities }, (_, n) => ({ ...one, _id: firstId + n, nameKey: `many ${n}` }));
    await storage.auth.identities.insertMany(all);
  });
  server = await startTestServer({
    RIVULET_DATA: folder,
    RIVULET_KEY_TOPICS: '600',
    RIVULET_KEY_SUBSCRIPTIONS: '1200',
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const socket = () => openSocket(server.url, { authorization: `Bearer ${server.key}` });
const names = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `identity:${firstId + from - 1 + n}`);

/** Bytes that streams hold, by holder, and topics that are followed. */
async function held(): Promise<Record<string, number>> {
  const { body } = await server.call('GET', '/metrics');
  const found = String(body).matchAll(/^rivulet_(?:stream_bytes\{holder="(\w+)"\}|(topics)) (\d+)/gm);
  return Object.fromEntries([...found].map(([, holder, topics, value]) => [holder ?? `open ${topics}`, Number(value)]));
}

test('topics that are followed and left by the thousand leave memory at once', async () => {
  const one = await socket();
  const before = await held();
  for (let from = 1; from <= identities; from += 400) {
    const topics = names(from, 400);
    expect(await one.command({ op: 'Subscribe', id: 's', topics })).toMatchObject({ ok: true });
    expect(await one.command({ op: 'Unsubscribe', id: 'u', topics })).toMatchObject({ ok: true });
  }
  // The socket's own presence is told meanwhile, which is one event in a few topics.
  const few = expect.toSatisfy((bytes: number) => bytes < 100_000);
  await expect.poll(held).toEqual({ ...before, subscriptions: few, topics: few, windows: few });
  one.end();
});

test('a key follows so many topics and has so many subscriptions by all its sockets together', async () => {
  const [one, two, three] = [await socket(), await socket(), await socket()];
  expect(await one.command({ op: 'Subscribe', id: '1', topics: names(1, 400) })).toMatchObject({ ok: true });
  const refused = await two.command({ op: 'Subscribe', id: '2', topics: names(401, 400) });
  expect(refused).toMatchObject({ ok: false, errorCode: 'CONCURRENCY_LIMITED' });
  // A refused command leaves nothing behind, and a topic that is followed already is no further one.
  expect(await two.command({ op: 'Subscribe', id: '3', topics: names(1, 400) })).toMatchObject({ ok: true });
  expect(await three.command({ op: 'Subscribe', id: '4', topics: names(1, 400) })).toMatchObject({
    errorCode: 'CONCURRENCY_LIMITED',
  });
  one.end();
  await expect
    .poll(() => three.command({ op: 'Subscribe', id: '5', topics: names(1, 400) }))
    .toMatchObject({ ok: true });
  two.end();
  three.end();
});
