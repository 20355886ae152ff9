// What an operator sees and steers: settings with overrides, maintenance jobs, nodes, stores and queues.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MaintenanceDoc, maintenanceRecord } from '../../src/groups/maintenance/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { failure } from '../support/failure.ts';
import { registerStranger } from '../support/strangers.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let stranger: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-operation-'));
  server = await startTestServer({ RIVULET_BACKUPS: folder, RIVULET_RUNS_KEPT_DAYS: '90' });
  stranger = await registerStranger(server, 'elsewhere');
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const get = async (path: string) => (await server.call('GET', path)).body.data;
const post = async (path: string, body?: object) => (await server.call('POST', path, body)).body.data;
const job = (body: object) => post('/api/system/maintenance', body);
const override = (settings: object) => server.call('PATCH', '/api/system/config', { settings });
const asStranger = (method: string, path: string, body?: unknown) =>
  request(server.url, method, path, body, { authorization: `Bearer ${stranger}` });
const entryOf = async (key: string) =>
  (await get('/api/system/config')).entries.find((one: { key: string }) => one.key === key);
/** A job when it has ended. */
const ended = async (body: object) => {
  const { id } = await job(body);
  const find = async () => (await get('/api/system/maintenance')).runs.find((one: { id: number }) => one.id === id);
  await expect.poll(async () => (await find()).state, { timeout: 60_000 }).toMatch(/Succeeded|Failed/);
  return find();
};

describe('settings', () => {
  it('say where they come from, and mask secrets', async () => {
    expect(await entryOf('RIVULET_RUNS_KEPT_DAYS')).toMatchObject({ value: '90', source: 'Environment' });
    expect(await entryOf('RIVULET_CALLS_KEPT_DAYS')).toMatchObject({ value: '400', source: 'Default' });
    expect(await entryOf('RIVULET_SECRET')).toMatchObject({ value: '********', source: 'File', isSecret: true });
    expect(await entryOf('RIVULET_ADMIN_KEY')).toMatchObject({ value: '********', source: 'Environment' });
    expect((await get('/api/system/config?prefix=QDRANT')).entries).toHaveLength(3);
  });

  it('an override acts at once, survives a restart, and goes away', async () => {
    const { body } = await override({ RIVULET_KEY_REQUESTS: '1' });
    expect(body.data).toMatchObject({ restartPending: false });
    expect(await entryOf('RIVULET_KEY_REQUESTS')).toMatchObject({ value: '1', source: 'Override' });
    const many = await Promise.all(Array.from({ length: 12 }, () => server.call('GET', '/api/agent/runs')));
    expect(many.some(({ status }) => status === 429)).toBe(true);
    await server.restart();
    expect(await entryOf('RIVULET_KEY_REQUESTS')).toMatchObject({ value: '1', defaultValue: '1000' });
    expect((await override({ RIVULET_KEY_REQUESTS: null })).status).toBe(200);
    const again = await Promise.all(Array.from({ length: 12 }, () => server.call('GET', '/api/agent/runs')));
    expect(again.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await entryOf('RIVULET_KEY_REQUESTS')).toMatchObject({ value: '1000', source: 'Default' });
  });

  it('the address of the server is in the documents of the interface where it has a path, at once', async () => {
    const servers = async () => (await server.call('GET', '/openapi/v1.json')).body.servers;
    const socket = async () => (await server.call('GET', '/asyncapi/v1.json')).body.servers.webSocket;
    expect(await servers()).toEqual([{ url: '/' }]);
    await override({ RIVULET_PUBLIC_URL: 'https://x.test/rivulet/' });
    expect(await servers()).toEqual([{ url: 'https://x.test/rivulet' }]);
    expect(await socket()).toMatchObject({
      ...{ protocol: 'wss', pathname: '/rivulet/api/ws' },
      variables: { host: { default: 'x.test' } },
    });
    await override({ RIVULET_PUBLIC_URL: 'https://x.test/' });
    expect(await servers()).toEqual([{ url: '/' }]);
    expect(await socket()).toMatchObject({ protocol: 'ws', pathname: '/api/ws' });
    await override({ RIVULET_PUBLIC_URL: null });
  });

  it('what needs a restart says so, and acts after it', async () => {
    const { body } = await override({ RIVULET_MODEL: 'scripted:echo' });
    expect(body.data.restartPending).toBe(true);
    await server.restart();
    expect((await get('/api/system/config')).restartPending).toBe(false);
    expect(server.facts.model).toBe('scripted:echo');
    const { checks } = await get('/api/system/ready');
    expect(checks.map((one: { name: string }) => one.name)).toEqual([
      'store (embedded)',
      'sandbox',
      'data folder',
      'model',
    ]);
    expect((await override({ RIVULET_MODEL: null })).body.data.restartPending).toBe(true);
  });

  it('what is wrong, fixed or not theirs is refused, and nothing is changed', async () => {
    const refused = (settings: object) => failure(override(settings), 400, 'VALIDATION_FAILED');
    await refused({ RIVULET_LOG: 'warn', RIVULET_CALLS_KEPT_DAYS: '-1' });
    await refused({ RIVULET_SECRET: 'x'.repeat(40) });
    await refused({ NODE_OPTIONS: '--inspect' });
    await failure(override({ RIVULET_BACKUP_SCHEDULE: 'whenever' }), 400, 'INVALID_CRON');
    await failure(override({ RIVULET_BACKUP_SCHEDULE: '0 0 31 2 *' }), 400, 'INVALID_CRON');
    expect(await entryOf('RIVULET_LOG')).toMatchObject({ source: 'Default' });
    await failure(asStranger('GET', '/api/system/config'), 403, 'FORBIDDEN');
    await failure(asStranger('PATCH', '/api/system/config', { settings: {} }), 403, 'FORBIDDEN');
  });
});

describe('maintenance', () => {
  it('mode holds writes of others and all queues, and says why', async () => {
    const { state } = await job({ task: 'EnterMaintenanceMode', message: 'A new disk is put in.' });
    expect(state).toBe('Succeeded');
    expect(await get('/api/system/info')).toMatchObject({ maintenanceMode: true });
    const refused = await asStranger('POST', '/api/projects', { name: 'Now' });
    expect(refused).toMatchObject({ status: 503, body: { errorCode: 'MAINTENANCE_MODE' } });
    expect(refused.body.error).toBe('A new disk is put in.');
    expect((await asStranger('GET', '/api/projects')).status).toBe(200);
    const run = await post('/api/agent/runs', {
      goal: 'Wait for the end of it.',
      modelId: 'scripted:hello',
      autoStart: true,
    });
    await server.restart();
    expect((await get('/api/system/maintenance')).message).toBe('A new disk is put in.');
    expect((await get(`/api/agent/runs/${run.id}`)).status).toBe('Queued');
    await job({ task: 'ExitMaintenanceMode' });
    await expect.poll(async () => (await get(`/api/agent/runs/${run.id}`)).status).toBe('Completed');
    expect((await asStranger('POST', '/api/projects', { name: 'Later' })).status).toBe(200);
  });

  it('prunes chats by their age, and tells before what would go', async () => {
    const chat = await post('/api/chat/sessions', { title: 'Passing' });
    expect(await ended({ task: 'PruneChats', olderThanDays: 1 })).toMatchObject({ processed: 0 });
    const would = await ended({ task: 'PruneChats', olderThanDays: 0, dryRun: true });
    expect(would).toMatchObject({ state: 'Succeeded', dryRun: true, processed: 1 });
    expect((await server.call('GET', `/api/chat/sessions/${chat.id}`)).status).toBe(200);
    expect(await ended({ task: 'PruneChats', olderThanDays: 0 })).toMatchObject({ processed: 1, progressPercent: 100 });
    expect((await server.call('GET', `/api/chat/sessions/${chat.id}`)).status).toBe(404);
  });

  it('prunes events of the tenant alone', async () => {
    expect((await ended({ task: 'PruneEvents', olderThanDays: 0 })).processed).toBeGreaterThan(0);
    expect((await ended({ task: 'PruneEvents', olderThanDays: 1 })).processed).toBe(0);
    expect(await ended({ task: 'PruneLogs' })).toMatchObject({ state: 'Succeeded' });
  });

  it('expires identities with their keys', async () => {
    const expiresAtUtc = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await post('/api/identities', { name: 'Passing', type: 'AI', expiresAtUtc });
    expect((await ended({ task: 'ExpireIdentities' })).processed).toBe(0);
    await server.call('PATCH', `/api/identities/${id}`, { expiresAtUtc: new Date(Date.now() - 1000).toISOString() });
    await ended({ task: 'ExpireIdentities' });
    expect((await get(`/api/identities/${id}`)).isActive).toBe(false);
  });

  it('takes a backup, keeps some, and says how it is restored', async () => {
    await override({ RIVULET_BACKUPS_KEPT: '1' });
    const first = JSON.parse((await ended({ task: 'Backup' })).resultJson);
    expect(first).toMatchObject({
      store: 'embedded',
      skipped: [],
      restore: expect.stringContaining('npm run restore'),
    });
    const second = JSON.parse((await ended({ task: 'Backup' })).resultJson);
    expect(second.removed).toBe(1);
    expect(await readdir(folder)).toEqual([second.folder.split('/').at(-1)]);
    expect(await readdir(second.folder)).toContain('backup.json');
  });

  it('a job that a crash cut short is done after the next start', async () => {
    const done = await ended({ task: 'RecountTotals' });
    await server.restart(async () => {
      const db = openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger });
      const jobs = db.collection(maintenanceRecord.spec);
      const one = (await jobs.findOne({ _id: done.id })) as MaintenanceDoc;
      const lease = { owner: 'a-dead-node', leaseUntil: new Date(Date.now() + 3_600_000), attempts: 1 };
      const cut = { ...one, ...lease, state: 'Running' as const, completedAt: null, holds: one.alone };
      await jobs.replaceOne({ _id: done.id }, cut);
      await db.close();
    });
    const find = async () =>
      (await get('/api/system/maintenance')).runs.find(({ id }: { id: number }) => id === done.id);
    await expect.poll(async () => (await find()).state).toBe('Succeeded');
    expect(Date.parse((await find()).completedAtUtc)).toBeGreaterThan(Date.parse(done.completedAtUtc));
  });

  it('one of a kind at a time, and what takes no option refuses it', async () => {
    await server.call('POST', '/api/infrastructure/queues/maintenance/control', { action: 'Pause' });
    const waits = server.call('POST', '/api/system/maintenance', { task: 'RecountTotals' });
    await expect
      .poll(async () => (await get('/api/system/maintenance')).runs)
      .toContainEqual(expect.objectContaining({ task: 'RecountTotals', state: 'Queued' }));
    await failure(server.call('POST', '/api/system/maintenance', { task: 'RecountTotals' }), 409, 'CONFLICT');
    await server.call('POST', '/api/infrastructure/queues/maintenance/control', { action: 'Resume' });
    expect((await waits).body.data.id).toBeGreaterThan(0);
    await failure(
      server.call('POST', '/api/system/maintenance', { task: 'Backup', dryRun: true }),
      400,
      'VALIDATION_FAILED',
    );
    await failure(asStranger('POST', '/api/system/maintenance', { task: 'Backup' }), 403, 'FORBIDDEN');
    expect((await asStranger('POST', '/api/system/maintenance', { task: 'RecountTotals' })).body.data.state).toBe(
      'Succeeded',
    );
  });
});

describe('infrastructure', () => {
  it('shows this node, its stores, and what is missing', async () => {
    const [node, ...others] = await get('/api/infrastructure/nodes');
    expect(others).toEqual([]);
    expect(node).toMatchObject({ pid: process.pid, state: 'Healthy', role: 'AllInOne' });
    const stores = await get('/api/infrastructure/stores');
    expect(stores.map((one: { kind: string; mode: string }) => `${one.kind} ${one.mode}`)).toEqual([
      'InProcess Embedded',
      'Qdrant Embedded',
      'Redis Disabled',
      'FileSystem Embedded',
    ]);
    const runs = stores[0].collections.find((one: { name: string }) => one.name === 'agent_runs');
    expect(runs.itemCount).toBeGreaterThan(0);
    expect(stores[3].usedPercent).toBeGreaterThan(0);
    await failure(asStranger('GET', '/api/infrastructure/nodes'), 403, 'FORBIDDEN');
    await failure(asStranger('GET', '/api/infrastructure/stores'), 403, 'FORBIDDEN');
  });

  const control = (name: string, body: object) =>
    server.call('POST', `/api/infrastructure/queues/${name}/control`, body);
  const queue = async (name: string) =>
    (await get('/api/infrastructure/queues')).find((one: { name: string }) => one.name === name);

  it('a paused queue keeps its jobs, drains them, and goes on', async () => {
    expect((await control('runs', { action: 'Pause' })).body.data).toMatchObject({ paused: true });
    const run = (goal: string) => post('/api/agent/runs', { goal, modelId: 'scripted:hello', autoStart: true });
    const [first, second] = [await run('One'), await run('Two')];
    await server.restart();
    expect(await queue('runs')).toMatchObject({ paused: true, waiting: 2, active: 0 });
    const { items } = await get('/api/infrastructure/queues/runs/jobs?state=Queued');
    expect(items.map((one: { id: string }) => one.id)).toEqual([String(second.id), String(first.id)]);
    expect(JSON.stringify(items)).not.toContain('Two');
    await control('runs', { action: 'Drain' });
    expect(await queue('runs')).toMatchObject({ waiting: 0 });
    expect((await get(`/api/agent/runs/${first.id}`)).status).toBe('Cancelled');
    const third = await run('Three');
    await control('runs', { action: 'SetConcurrency', concurrency: 2 });
    expect((await control('runs', { action: 'Resume' })).body.data).toMatchObject({ paused: false, concurrency: 2 });
    await expect.poll(async () => (await get(`/api/agent/runs/${third.id}`)).status).toBe('Completed');
    expect((await asStranger('GET', '/api/infrastructure/queues')).body.data[0]).toMatchObject({
      completedLastHour: 0,
    });
  });

  it('what failed is retried, or cleared', async () => {
    const failing = await post('/api/agent/runs', {
      goal: 'Fail',
      modelId: 'scripted:nobody-wrote-it',
      autoStart: true,
    });
    await expect.poll(async () => (await get(`/api/agent/runs/${failing.id}`)).status).toBe('Failed');
    expect(await queue('runs')).toMatchObject({ failed: 1, lastError: expect.any(String) });
    const retry = `/api/infrastructure/queues/runs/jobs/${failing.id}/retry`;
    expect((await server.call('POST', retry, {})).body.data).toMatchObject({ id: String(failing.id), queue: 'runs' });
    await expect.poll(async () => (await queue('runs')).failed).toBe(1);
    expect((await control('runs', { action: 'ClearFailed' })).body.data).toMatchObject({ failed: 0, lastError: null });
    await failure(control('routines', { action: 'SetConcurrency', concurrency: 2 }), 409, 'INVALID_TRANSITION');
    await failure(control('nothing', { action: 'Pause' }), 404, 'NOT_FOUND');
    await failure(server.call('POST', '/api/infrastructure/queues/runs/jobs/999999/retry', {}), 404, 'NOT_FOUND');
    await failure(asStranger('POST', retry, {}), 404, 'NOT_FOUND');
    expect((await asStranger('GET', '/api/infrastructure/queues/runs/jobs')).body.data.items).toEqual([]);
    await failure(asStranger('POST', '/api/infrastructure/queues/runs/control', { action: 'Pause' }), 403, 'FORBIDDEN');
  });
});
