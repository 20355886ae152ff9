// Two servers as behind a balancer that keeps nobody at one of them: what one has made or changed, the other shows and heeds.
import { mkdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Client, createClient, type SystemLogDto } from '../../src/client/index.ts';
import { sharedFolders } from '../../src/run-places/shared-folders.ts';
import type { ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { request } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);
const patience = { timeout: 60_000, interval: 100 };

describe.skipIf(missing !== null)('two nodes behind a balancer', () => {
  let model: FakeServer;
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;
  let onB: Client;
  let listeners = 0;
  beforeAll(async () => {
    model = await startFakeServer();
    const noMail = { RIVULET_SMTP_URL: 'smtp://127.0.0.1:1', RIVULET_SUPPORT_MAIL: 'help@rivulet.test' };
    nodes = await startNodes(2, { ...environmentOf(model), ...noMail, RIVULET_PRIVATE_CONNECTORS: 'all' });
    [a, b] = nodes.servers as [ChildServer, ChildServer];
    onB = createClient({ baseUrl: b.baseUrl, token: b.key });
  }, 300_000);
  afterAll(async () => {
    await nodes?.close();
    await model?.close();
  });

  const call = async (server: ChildServer, method: string, path: string, body?: unknown) => {
    const answer = await request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}` });
    expect(answer.body.error ?? null, `${method} ${path}`).toBeNull();
    return answer.body.data;
  };
  /** Resolves when B has heard what A has told other nodes so far: a socket that A ends is ended after that. */
  const heardOnB = async () => {
    const { id } = await call(a, 'POST', '/api/identities', { name: `listener ${++listeners}` });
    const { rawKey, key } = await call(a, 'POST', `/api/identities/${id}/api-keys`, { name: 'socket' });
    const socket = await openSocket(b.baseUrl, { authorization: `Bearer ${rawKey}` });
    await call(a, 'DELETE', `/api/identities/${id}/api-keys/${key.id}`);
    await socket.closed;
  };
  const siteOn = async ({ baseUrl }: ChildServer, path: string) => {
    const answer = await fetch(`${baseUrl}/sites/${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  const publish = async (slug: string) => {
    const { id } = await call(a, 'POST', '/api/projects', { name: slug, siteEnabled: true, siteSlug: slug });
    const document = { title: 'Tides', content: 'High at noon.', classification: 'Public' };
    const { id: docId } = await call(b, 'POST', `/api/projects/${id}/docs`, document);
    await call(a, 'POST', `/api/docs/${docId}/publish`, {});
    await call(b, 'POST', `/api/projects/${id}/site-builds`, {});
    const status = async () => (await call(a, 'GET', `/api/projects/${id}/site-builds/status`)).latest.status;
    await expect.poll(status, patience).toBe('Published');
  };

  it('number what is made on either of them in the order in which it was made', async () => {
    const made: number[] = [];
    for (const [at, server] of [a, b, a, b].entries())
      made.push((await call(server, 'POST', '/api/projects', { name: `mooring ${at}` })).id);
    expect(made).toEqual(made.toSorted((one, other) => one - other));
    expect((made.at(-1) ?? 0) - (made[0] ?? 0)).toBe(3);
  });

  it('call a model that was added on the other at once, and none whose provider was switched off there', async () => {
    model.otherwise = () => ({ text: ['Hello.'] });
    const messages = [{ role: 'user', content: 'Hello' }];
    const ask = async (server: ChildServer, name: string) => {
      const headers = { authorization: `Bearer ${server.key}` };
      const body = { model: name, messages };
      return (await request(server.baseUrl, 'POST', '/v1/chat/completions', body, headers)).status;
    };
    // Both know by now what the tenant has set up.
    expect([await ask(a, 'openai:gpt-4o-mini'), await ask(b, 'openai:gpt-4o-mini')]).toEqual([200, 200]);
    const provider = { name: 'Quay', kind: 'OpenAiCompatible', baseUrl: model.baseUrl, apiKey: 'sk-quay' };
    const { id } = await call(a, 'POST', '/api/ai-router/providers', provider);
    await call(a, 'POST', '/api/ai-router/models', { providerId: id, modelId: 'quay', providerModelName: 'q' });
    await heardOnB();
    expect(await ask(b, 'quay')).toBe(200);
    await call(a, 'PATCH', `/api/ai-router/providers/${id}`, { enabled: false });
    await heardOnB();
    expect(await ask(b, 'quay')).toBe(503);
  });

  it('tell what the other has been asked to tell: webhooks, channels, routines and receivers of tasks', async () => {
    const heard: { path: string; body: string }[] = [];
    const receiver = createServer(async (asked, answer) => {
      const parts: Buffer[] = [];
      for await (const part of asked) parts.push(part as Buffer);
      heard.push({ path: asked.url ?? '', body: Buffer.concat(parts).toString() });
      answer.end('thanks');
    });
    onTestFinished(() => void receiver.close());
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const heardAt = async (path: string) =>
      expect.poll(() => heard.some((one) => one.path === path), { ...patience, message: path }).toBe(true);
    const { id: projectId } = await call(a, 'POST', '/api/projects', { name: 'Weather' });
    const fact = (key: string) => call(b, 'POST', `/api/projects/${projectId}/facts`, { key, value: 'rain' });
    // B knows by now that nothing waits for facts.
    await fact('monday');
    const eventTypes = ['fact.written'];
    await call(a, 'POST', '/api/webhooks', { name: 'Hook', url: `${at}/hook`, eventTypes });
    const channel = { name: 'Channel', kind: 'Webhook', direction: 'Outbound', url: `${at}/channel`, eventTypes };
    await call(a, 'POST', '/api/channels', channel);
    const routine = await call(a, 'POST', '/api/agent/routines', {
      ...{ name: 'Watch', briefMarkdown: 'Read the weather.', scheduleKindId: 'Event', projectId },
    });
    await call(a, 'POST', `/api/agent/routines/${routine.id}/triggers`, { eventPattern: 'fact.*' });
    await heardOnB();
    await fact('tuesday');
    for (const path of ['/hook', '/channel']) await heardAt(path);
    const rows = () => call(a, 'GET', `/api/agent/routines/${routine.id}/runs`);
    await expect.poll(async () => (await rows()).items.length, patience).toBe(1);

    const { id } = await call(a, 'POST', '/api/identities', { name: 'Robin' });
    const profile = { displayName: 'Robin', isPublished: true, defaultModelId: 'openai:gpt-4o-mini' };
    const { a2aUrl } = await call(a, 'PUT', `/api/bot-profiles/${id}`, profile);
    const send = async ({ baseUrl, key }: ChildServer, configuration: object) => {
      const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Which bird sings?' }] };
      const headers = { authorization: `Bearer ${key}`, 'a2a-version': '1.0' };
      const path = `${new URL(a2aUrl).pathname}/message:send`;
      return (await request(baseUrl, 'POST', path, { message, configuration }, headers)).body;
    };
    // B knows by now that nobody waits for tasks.
    await send(b, {});
    model.reply({ toolCalls: [{ id: 'c1', name: 'run_escalate', arguments: ['{"situation":"Which one?"}'] }] });
    const { task } = await send(a, {});
    const push = `${new URL(a2aUrl).pathname}/tasks/${task.id}/pushNotificationConfigs`;
    const headers = { authorization: `Bearer ${a.key}`, 'a2a-version': '1.0' };
    expect((await request(a.baseUrl, 'POST', push, { url: `${at}/push` }, headers)).status).toBe(200);
    await heardOnB();
    await call(b, 'POST', `/api/agent/runs/${task.metadata.runId}/cancel`, {});
    await heardAt('/push');
  });

  it('publish lines of the log from when the other was asked for them', async () => {
    const socket = await openSocket(b.baseUrl, { authorization: `Bearer ${b.key}` });
    onTestFinished(() => socket.end());
    expect(await socket.command({ op: 'Subscribe', id: '1', topics: ['logs'] })).toMatchObject({ ok: true });
    /** Has B write a line, which is about a mail to nowhere. */
    const failOnB = async (subject: string) => {
      const asked = { subject, description: subject, includeDiagnostics: false };
      const { id } = await call(b, 'POST', '/api/support/requests', asked);
      const line = async () => {
        const { items } = await call(b, 'GET', '/api/system-logs?q=support&minLevel=Warning');
        return items.find((one: SystemLogDto) => JSON.parse(one.propertiesJson ?? '{}').supportRequest === id) ?? null;
      };
      await expect.poll(line, patience).not.toBeNull();
      return line();
    };
    // B knows by now that nobody asks for lines.
    const line = await failOnB('monday');
    await call(a, 'POST', '/api/log-subscriptions', { domain: line.domain, minLevel: 'Warning' });
    await heardOnB();
    const later = await failOnB('tuesday');
    const published = () => socket.frames.filter(({ type }) => type === 'log.written').map(({ data }) => data.id);
    await expect.poll(published, patience).toEqual([later.id]);
  });

  it('say where the files of a site are that the other has built, and show it where they share the folder', async () => {
    await publish('alone');
    const answers = await Promise.all([siteOn(a, 'alone/'), siteOn(b, 'alone/')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    expect(answers.find(({ status }) => status === 503)?.text).toContain('share the folder sites');
    expect((await siteOn(b, 'nobodys/')).status).toBe(404);

    await b.stop();
    for (const folder of sharedFolders) {
      const [own, shared] = [join(b.folder, folder), join(a.folder, folder)];
      await mkdir(dirname(own), { recursive: true });
      await rm(own, { recursive: true, force: true });
      await symlink(shared, own);
    }
    await b.start();
    const { checks } = await onB.system.ready();
    expect(
      checks.filter(({ name }) => ['workspaces', 'output', 'sites'].includes(name)).map(({ state }) => state),
    ).toEqual(['Healthy', 'Healthy', 'Healthy']);
    await publish('river');
    for (const node of [a, b]) expect((await siteOn(node, 'river/')).text).toContain('Tides');
  });
});
