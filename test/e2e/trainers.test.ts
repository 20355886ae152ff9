// A trainer elsewhere: it gets the dataset, signed, and reports; what it does wrong, and what dies meanwhile, ends well.
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trainingRunRecord } from '../../src/groups/mirror/training/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { trainable } from '../support/mirror-samples.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const key = Buffer.alloc(32, 7);
const patience = { timeout: 20_000 };

interface Post {
  type: string;
  headers: Record<string, string | string[] | undefined>;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was posted
  data: any;
}

let server: TestServer;
let trainer: Server;
let status = 202;
const posts: Post[] = [];
beforeAll(async () => {
  trainer = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const raw = Buffer.concat(parts).toString('utf8');
      const { type, data } = JSON.parse(raw);
      posts.push({ type, data, raw, headers: request.headers });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => trainer.listen(0, '127.0.0.1', resolve));
  const { port } = trainer.address() as AddressInfo;
  server = await startTestServer({
    RIVULET_TRAINER: `http://127.0.0.1:${port}/train`,
    RIVULET_TRAINER_SECRET: `whsec_${key.toString('base64')}`,
  });
});
afterAll(async () => {
  await server.close();
  trainer.closeAllConnections();
  await new Promise((resolve) => trainer.close(resolve));
});

const api = () => server.client;
const runOf = async () => {
  const { datasetId, identityId } = await trainable(server);
  const body = { datasetId, baseModelName: 'small', hyperparametersJson: '{"epochs":1}' };
  return api().trainingRuns.create({ params: { identityId }, body });
};
const got = async (type: string, id: number) => {
  const find = () => posts.find((post) => post.type === type && post.data.run.id === id);
  await expect.poll(find, patience).toBeDefined();
  return find() as Post;
};
const statusOf = async (id: number) => (await api().trainingRuns.get({ params: { id } })).status;
const datasetOf = async (id: number) => (await api().datasets.get({ params: { id } })).status;
const report = ({ data }: Post, told: object) =>
  server.call('POST', new URL(data.report.url).pathname, { token: data.report.token, ...told }, { authorization: '' });

describe('a trainer elsewhere', () => {
  it('gets the dataset with a signature, and its reports bring the run on', async () => {
    const { id, identityId } = await runOf();
    const told: unknown[] = [];
    const watching = new AbortController();
    const watch = (async () => {
      const stream = api().stream(`identity:${identityId}`, { cursor: '0', signal: watching.signal });
      for await (const event of stream) if (event.type === 'training.run.updated') told.push(event.data);
    })().catch(() => {});
    const post = await got('training.run.queued', id);
    const { 'webhook-id': messageId, 'webhook-timestamp': at, 'webhook-signature': signature } = post.headers;
    const expected = createHmac('sha256', key).update(`${messageId}.${at}.${post.raw}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
    const lines = post.data.dataset.content.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(Object.keys(JSON.parse(lines[0]))).toEqual(['prompt', 'chosen', 'rejected']);
    await expect.poll(() => statusOf(id), patience).toBe('Running');
    expect((await report(post, { status: 'Evaluating' })).status).toBe(200);
    const done = {
      status: 'AwaitingApproval',
      adapterOutputPath: 's3://weights/1',
      evaluationMetricsJson: '{"loss":0.2}',
    };
    expect((await report(post, done)).status).toBe(200);
    expect(await api().trainingRuns.get({ params: { id } })).toMatchObject(done);
    const data = (status: string) => expect.objectContaining({ trainingRunId: id, identityId, status });
    await expect.poll(() => told, patience).toEqual(['Queued', 'Running', 'Evaluating', 'AwaitingApproval'].map(data));
    watching.abort();
    await watch;
    expect((await report(post, { status: 'Approved' })).body.errorCode).toBe('FORBIDDEN');
    expect(
      (await report({ ...post, data: { report: { ...post.data.report, token: 'a'.repeat(43) } } }, done)).status,
    ).toBe(401);
  });

  it('is told of a run that is cancelled, and its old token is good for nothing once it is queued anew', async () => {
    const { id } = await runOf();
    const post = await got('training.run.queued', id);
    await expect.poll(() => statusOf(id), patience).toBe('Running');
    await api().trainingRuns.setStatus({ params: { id }, body: { status: 'Cancelled' } });
    await got('training.run.cancelled', id);
    expect((await report(post, { status: 'Running' })).body.errorCode).toBe('INVALID_TRANSITION');
    await api().trainingRuns.setStatus({ params: { id }, body: { status: 'Queued' } });
    await expect.poll(() => statusOf(id), patience).toBe('Running');
    expect((await report(post, { status: 'Failed' })).status).toBe(401);
    expect(await statusOf(id)).toBe('Running');
  });

  it('that answers 410 fails the run, and the dataset is free again', async () => {
    status = 410;
    const run = await runOf();
    await expect.poll(() => statusOf(run.id), patience).toBe('Failed');
    status = 202;
    expect((await api().trainingRuns.get({ params: { id: run.id } })).errorMessage).toContain('410');
    await expect.poll(() => datasetOf(run.datasetId), patience).toBe('Ready');
  });

  it('gets a run again under the same id when the server died while it was handed over', async () => {
    const { id } = await runOf();
    const first = await got('training.run.queued', id);
    await expect.poll(() => statusOf(id), patience).toBe('Running');
    const lease = { owner: 'dead', leaseUntil: new Date(Date.now() + 3_600_000) };
    await server.restart(() => leave(id, { ...lease, status: 'Queued', due: null }));
    const again = () => posts.filter((post) => post.type === 'training.run.queued' && post.data.run.id === id);
    await expect.poll(() => again().length, patience).toBe(2);
    expect(again()[1]?.headers['webhook-id']).toBe(first.headers['webhook-id']);
  });

  it('fails cleanly where the server that trained has died', async () => {
    const run = await runOf();
    await expect.poll(() => statusOf(run.id), patience).toBe('Running');
    const lease = { owner: 'dead', leaseUntil: new Date(Date.now() + 3_600_000) };
    await server.restart(() => leave(run.id, { ...lease, status: 'Running' }));
    await expect.poll(() => statusOf(run.id), patience).toBe('Failed');
    expect((await api().trainingRuns.get({ params: { id: run.id } })).errorMessage).toContain('Queued');
    await expect.poll(() => datasetOf(run.datasetId), patience).toBe('Ready');
  });
});

/** What a server leaves that is killed at this moment. */
async function leave(id: number, $set: object): Promise<void> {
  const db = openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger });
  await db.collection(trainingRunRecord.spec).updateOne({ _id: id }, { $set } as never);
  await db.close();
}
