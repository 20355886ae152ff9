// Connectors against a stand-in for S3: objects are put, read, listed and deleted; a key that it does not know is said.
// It does not compute signatures of version 4: those are checked in src/outside/authentication.test.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-s3-'));
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
let world: TestServer;
let storage: Server;

const call = (method: string, path: string, body?: object) => world.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};

beforeAll(async () => {
  world = await startTestServer({ RIVULET_PRIVATE_CONNECTORS: 'operator' });
  const stand = new S3rver({ directory: folder, silent: true, configureBuckets: [{ name: 'notes', configs: [] }] });
  await stand.configureBuckets();
  storage = createServer(stand.callback());
  await new Promise<void>((done) => storage.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await world.close();
  storage.closeAllConnections();
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

it('puts, reads, lists and deletes objects whose keys are anything', async () => {
  const { port } = storage.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/notes`;
  const fields = { type: 'ObjectStorage', authMethod: 'ApiKey', baseUrl };
  const { id } = await data(call('POST', '/connectors', { name: 'S3', ...fields, credentials: JSON.stringify(keys) }));
  const endpoint = async (name: string, method: string, path: string) => {
    const made = await data(call('POST', `/connectors/${id}/endpoints`, { name, method, path }));
    return (input: object) => data(call('POST', `/connectors/endpoints/${made.id}/call`, { input }));
  };
  const put = await endpoint('put', 'Put', '/{key}');
  const get = await endpoint('get', 'Get', '/{key}');
  const remove = await endpoint('remove', 'Delete', '/{key}');
  const list = await endpoint('list', 'Get', '/?list-type=2&prefix={prefix}');
  const verified = async () => (await data(call('POST', `/connectors/${id}/verify`, {}))).lastVerificationStatus;
  expect(await verified()).toBe('Ok');
  const key = 'of 2026/räume & (all)+.txt';
  expect((await put({ key, content: 'Hé ☃' })).ok).toBe(true);
  expect(await get({ key })).toMatchObject({ ok: true, content: 'Hé ☃' });
  expect((await list({ prefix: 'of 2026/' })).content).toMatch(/<Key>of 2026\/räume &amp; \(all\)\+\.txt<\/Key>/);
  expect((await remove({ key })).ok).toBe(true);
  expect(await get({ key })).toMatchObject({ ok: false, content: expect.stringMatching(/404.*NoSuchKey/s) });
  const wrong = JSON.stringify({ ...keys, accessKeyId: 'of-nobody' });
  await data(call('PATCH', `/connectors/${id}`, { credentials: wrong }));
  expect(await verified()).toBe('AuthFailed');
  expect((await put({ key, content: 'x' })).content).toMatch(/403.*InvalidAccessKeyId/s);
});
