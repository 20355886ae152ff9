// A server of agents that is killed: its tasks go on and end once, and every change of them reaches who waits for it.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { a2aTaskSpec } from '../../src/groups/a2a/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';

let model: FakeServer;
let server: ChildServer;
let receiver: Server;
let uid: string;
let identityId: number;
const received: { headers: IncomingHttpHeaders; state: string; taskId: string }[] = [];
/** What a notification is answered with; the next ones are taken. */
let reply: (answer: ServerResponse) => void;
const take = (answer: ServerResponse) => void answer.end();

beforeAll(async () => {
  model = await startFakeServer();
  server = await createChildServer({ ...environmentOf(model), RIVULET_PRIVATE_CONNECTORS: 'operator' });
  reply = take;
  receiver = createServer(async (asked, answer) => {
    let text = '';
    for await (const chunk of asked) text += chunk;
    const { task, statusUpdate } = JSON.parse(text);
    const { status } = task ?? statusUpdate;
    received.push({ headers: asked.headers, state: status.state, taskId: task?.id ?? statusUpdate.taskId });
    reply(answer);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await server.start();
  identityId = (await call('POST', '/identities', { name: 'Robin' })).id;
  const bot = await call('PUT', `/bot-profiles/${identityId}`, { displayName: 'Robin', isPublished: true });
  uid = bot.publicUrl.split('/').at(-1);
});
afterAll(async () => {
  await server.close();
  receiver.close();
  receiver.closeAllConnections();
  await model.close();
});

const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
  const answer = await fetch(server.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  return answer.json() as Promise<any>;
};
const call = async (method: string, path: string, body?: unknown) => {
  const { data, error } = await send(method, `/api${path}`, body);
  expect(error).toBeNull();
  return data;
};
const agent = (method: string, path: string, body?: unknown, more = {}) =>
  send(method, `/a2a/${uid}${path}`, body, { 'a2a-version': '1.0', ...more });
const begin = (name: string, more: object = {}) => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const configuration = { returnImmediately: true, taskPushNotificationConfig: { id: 'mine', url }, ...more };
  const message = { messageId: name, role: 'ROLE_USER', parts: [{ text: 'Sing.' }] };
  return agent('POST', '/message:send', { message, configuration }, { 'idempotency-key': name });
};
const of = (id: string) => received.filter(({ taskId }) => taskId === id);
const task = (id: string) => agent('GET', `/tasks/${id}`);
const ended = (id: string) => expect.poll(async () => (await task(id)).status.state, { timeout: 20_000 });
const words = Array.from({ length: 40 }, (_, i) => `la${i} `);

it('in the middle of an answer, ends its task once, and tells of it', async () => {
  const before = model.requests.length;
  model.reply({ text: words, stallAfter: 20 });
  const { task: begun } = await begin('one');
  await model.arrived(before + 1);
  await expect.poll(() => of(begun.id).some(({ state }) => state === 'TASK_STATE_WORKING')).toBe(true);
  await server.kill();
  model.release();
  model.reply({ text: ['The whole song.'] });
  await server.start();
  await ended(begun.id).toBe('TASK_STATE_COMPLETED');
  await expect.poll(() => of(begun.id).at(-1)?.state, { timeout: 20_000 }).toBe('TASK_STATE_COMPLETED');
  expect((await task(begun.id)).artifacts[0].parts[0].text).toBe('The whole song.');
  // Who asks again for what it may not have heard the answer of begins nothing.
  expect((await begin('one')).task.id).toBe(begun.id);
  const { tasks } = await agent('GET', `/tasks?contextId=${begun.contextId}`);
  expect(tasks).toHaveLength(1);
});

it('while it tells of the end, tells again, and by the same name', async () => {
  reply = () => {};
  model.reply({ text: ['Short.'] });
  const { task: begun } = await begin('two');
  await expect
    .poll(() => of(begun.id).some(({ state }) => state === 'TASK_STATE_COMPLETED'), { timeout: 20_000 })
    .toBe(true);
  await server.kill();
  reply = take;
  await server.start();
  const ends = () => of(begun.id).filter(({ state }) => state === 'TASK_STATE_COMPLETED');
  await expect.poll(() => ends().length, { timeout: 20_000 }).toBe(2);
  const names = ends().map(({ headers }) => headers['x-a2a-notification-id']);
  expect(names[0]).toMatch(/^\d+$/);
  expect(new Set(names).size).toBe(1);
  expect((await task(begun.id)).status.state).toBe('TASK_STATE_COMPLETED');
});

it('before a task knows the run that was made for it, finds it again, also where the bot has been changed since', async () => {
  const named = (name: string) => agent('POST', '/message:send', plain(name), { 'idempotency-key': name });
  const plain = (messageId: string) => ({ message: { messageId, role: 'ROLE_USER', parts: [{ text: 'Sing low.' }] } });
  model.reply({ text: ['Low.'] });
  const { task: alone } = await named('alone');
  model.reply({ text: ['Heard.'] });
  const { task: heard } = await begin('heard');
  await ended(heard.id).toBe('TASK_STATE_COMPLETED');
  const runs = async () => (await call('GET', '/agent/runs')).totalCount;
  const before = await runs();
  await server.kill();
  // What a crash leaves between the two writes.
  const db = openEmbeddedDb({ folder: server.folder, clock: systemClock, logger: silentLogger });
  const tasks = db.collection(a2aTaskSpec);
  for (const { id } of [alone, heard]) await tasks.updateOne({ _id: id }, { $set: { runId: null } });
  await db.close();
  await server.start();
  const changed = { displayName: 'Wren', isPublished: true, defaultModelId: 'openai:gpt-5-mini' };
  await call('PUT', `/bot-profiles/${identityId}`, changed);
  expect((await named('alone')).task).toMatchObject({ id: alone.id, metadata: alone.metadata });
  expect((await begin('heard')).task).toMatchObject({ id: heard.id, metadata: heard.metadata });
  expect(await runs()).toBe(before);
});

it('says in its log what a receiver never took', async () => {
  reply = (answer) => void answer.writeHead(410).end();
  model.reply({ text: ['Short.'] });
  const { task: begun } = await begin('three');
  await ended(begun.id).toBe('TASK_STATE_COMPLETED');
  await expect.poll(() => server.output.split('was not delivered: Failed').length - 1).toBeGreaterThan(0);
  expect(server.output).toContain(begun.id);
});
