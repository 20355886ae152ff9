// A server over FerretDB, which has neither indexes that expire documents nor partial ones.
import { expect, it, onTestFinished } from 'vitest';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { defineCollection } from '../../src/ports/db.ts';
import { openMongoDb } from '../../src/stores/mongo/db.ts';
import { createChildServer } from '../support/child-server.ts';
import { ferretdb } from '../support/servers/mongo.ts';
import { request } from '../support/test-server.ts';

const missing = await ferretdb.missing();

it.skipIf(missing)('starts, does its work, and removes what has expired by itself', async () => {
  const ferret = await ferretdb.start();
  onTestFinished(() => ferret.stop());
  const uri = new URL(ferret.uri);
  uri.pathname = '/rivulet';

  const server = await createChildServer({ MONGODB_URI: uri.href });
  onTestFinished(() => server.close());
  await server.start();
  const headers = { authorization: `Bearer ${server.key}`, 'idempotency-key': 'one' };
  const body = { goal: 'Stand.' };
  const ask = () => request(server.baseUrl, 'POST', '/api/agent/runs', body, headers);
  const made = await ask();
  expect(made.status).toBe(200);
  expect((await ask()).body.data.id).toBe(made.body.data.id);

  uri.pathname = '/expiring';
  const clock = new SimulatedClock();
  const db = await openMongoDb({ uri: uri.href, clock });
  onTestFinished(() => db.close());
  const spec = defineCollection<{ _id: number; at: Date }>({
    name: 'passing',
    indexes: [{ keys: { at: 1 }, expireAfterSeconds: 60 }],
  });
  await db.ensureIndexes([spec]);
  const passing = db.collection(spec);
  await passing.insertMany(Array.from({ length: 500 }, (_, _id) => ({ _id, at: new Date(clock.now() + _id * 1000) })));
  await clock.advance(60_000);
  await expect.poll(() => passing.countDocuments()).toBe(499);
  const later = async () => {
    await clock.advance(60_000);
    return passing.countDocuments();
  };
  await expect.poll(later).toBe(0);
});

it.skipIf(missing)('keeps one audit chain, whoever writes at once, and through a kill', async () => {
  const ferret = await ferretdb.start();
  onTestFinished(() => ferret.stop());
  const uri = new URL(ferret.uri);
  uri.pathname = '/audited';
  const server = await createChildServer({ MONGODB_URI: uri.href });
  onTestFinished(() => server.close());
  await server.start();
  const call = (method: string, path: string, body?: unknown) =>
    request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}` });
  const answered: string[] = [];
  const write = async (name: string) => {
    for (let at = 0; ; at++) {
      const answer = await call('POST', '/api/roles', { name: `${name}-${at}` }).catch(() => null);
      if (answer?.status !== 200) return;
      answered.push(answer.body.requestId);
    }
  };
  const writers = ['a', 'b', 'c', 'd'].map(write);
  await expect.poll(() => answered.length).toBeGreaterThan(40);
  await server.kill();
  await Promise.all(writers);
  await server.start();
  const verdict = (await call('POST', '/api/system/maintenance', { task: 'VerifyAuditChain' })).body.data;
  expect(verdict).toMatchObject({ state: 'Succeeded', errorMessage: null });
  const told: string[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/audit-events?action=Roles_create&outcome=Success&pageSize=200&page=${page}`;
    const { items } = (await call('GET', path)).body.data;
    told.push(...items.map(({ requestId }: { requestId: string }) => requestId));
    if (items.length < 200) break;
  }
  expect(answered.filter((id) => !told.includes(id))).toEqual([]);
  expect(new Set(told).size).toBe(told.length);
});
