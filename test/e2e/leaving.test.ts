// Clients that leave in the middle of anything: their doing, and no error in the log.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { environmentOf, startFakeServer } from '../support/openai-server.ts';
import { openRaw } from '../support/raw-socket.ts';
import { fakeModel } from '../support/server-with-model.ts';
import { adminKey, request, transports } from '../support/test-server.ts';

it.each(transports)('whoever leaves is no error in the log on %s', async (transport) => {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-leaving-'));
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const model = await startFakeServer();
  const settings = { RIVULET_DATA: folder, RIVULET_PORT: '0', RIVULET_SANDBOX: 'off', RIVULET_ADMIN_KEY: adminKey };
  const environment = { ...settings, RIVULET_TRANSPORT: transport, ...environmentOf(model, fakeModel) };
  const { url, close } = await startServer({ durable: false, config: loadConfig(environment), log });
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  model.otherwise = () => ({ text: ['One', ' two', ' three'], stallAfter: 2 });

  const message = { role: 'user', content: 'Count.' };
  const asked = { model: fakeModel, messages: [message] };
  const parts = [{ type: 'text', text: 'Count.' }];
  const made = await request(url, 'POST', '/api/agent/runs', { goal: 'Wait.' }, headers);
  const run = made.body.data.id;
  const inFlight = async () => {
    const { body } = await request(url, 'GET', '/metrics', undefined, headers);
    return Number(/^\w*http_in_flight (\d+)/m.exec(body)?.[1]);
  };
  const calls: [path: string, body?: object][] = [
    ['/v1/chat/completions', { ...asked, stream: true }],
    ['/v1/chat/completions', asked],
    ['/v1/responses', { model: fakeModel, input: 'Count.', stream: true }],
    ['/v1/messages', { ...asked, max_tokens: 9, stream: true }],
    ['/api/chat/ui', { id: 'left', messages: [{ id: 'u', role: 'user', parts }] }],
    ['/api/chat/ag-ui', { threadId: 'left-too', runId: 'r', messages: [{ id: 'u', ...message }] }],
    [`/api/agent/runs/${run}/events?lastEventId=0`],
    [`/api/agent/runs/${run}/wait?timeoutMs=30000`],
  ];
  const raw = await openRaw(Number(new URL(url).port));
  raw.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Length: 99\r\n\r\n{`,
  );
  raw.destroy();
  for (const [path, body] of calls) {
    const before = model.requests.length;
    const abort = new AbortController();
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const accept = path.includes('/events') ? { accept: 'text/event-stream' } : {};
    const answer = fetch(url + path, { ...post, headers: { ...headers, ...accept }, signal: abort.signal });
    if (body) await model.arrived(before + 1);
    if (path.includes('wait')) await expect.poll(inFlight).toBeGreaterThan(1);
    else if (body !== asked) await (await answer).body?.getReader().read();
    abort.abort();
    await answer.catch(() => undefined);
  }
  // All but the reply of useChat, which goes on.
  await expect.poll(() => model.aborted).toBeGreaterThanOrEqual(5);
  model.release();
  await close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  expect(lines.length).toBeGreaterThan(calls.length);
});
