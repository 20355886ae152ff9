// The server killed and stopped in the middle of runs: they go on, nothing is repeated, nobody misses an event.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { checkWhole, type Follower, followers } from '../support/followers.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { openSocket } from '../support/web-socket.ts';

let model: FakeServer;
let server: ChildServer;

beforeAll(async () => {
  model = await startFakeServer();
  server = await createChildServer(environmentOf(model));
  await server.start();
});
afterAll(async () => {
  await server.close();
  await model.close();
});

const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
const note = (id: string, content: string) => ({ id, name: 'run_note', arguments: [JSON.stringify({ content })] });
const words = Array.from({ length: 60 }, (_, i) => `word${i} `);

const follow = (topic: string): [string, Follower][] =>
  Object.entries(followers).map(([name, start]) => [name, start({ baseUrl: server.baseUrl, key: server.key, topic })]);

async function finish(id: number, followed: [string, Follower][]) {
  await Promise.all(followed.map(([, follower]) => follower.done));
  for (const [, follower] of followed) follower.close();
  const stored = await api().agentRuns.events({ params: { runId: id }, query: { limit: 1000 } });
  for (const [name, { events }] of followed) checkWhole(name, events, stored);
  return api().agentRuns.get({ params: { id } });
}

describe('killed', () => {
  it('in the middle of an answer of the model', async () => {
    model.reply({ toolCalls: [note('c1', 'before')] }, { text: words, stallAfter: 30 });
    const before = model.requests.length;
    const run = await api().agentRuns.create({ body: { goal: 'Survive.' } });
    const followed = follow(`run:${run.id}`);
    await api().agentRuns.start({ params: { id: run.id } });
    await model.arrived(before + 2);
    // Some of the answer has been seen, so that the cut goes through it.
    await expect
      .poll(() => followed.every(([, f]) => f.events.some(({ data }) => /word1 /.test(data?.delta))))
      .toBe(true);
    await server.kill();
    model.release();
    model.reply({ text: ['done'] });
    await server.start();
    const detail = await finish(run.id, followed);
    expect(detail).toMatchObject({ status: 'Completed', progressSummary: 'done' });
    expect(detail.notes.map(({ content }) => content)).toEqual(['before']);
    // The answer that was cut is asked for once more, and the finished tool call is told and not repeated.
    expect(model.requests.length).toBe(before + 3);
    const told = model.requests.at(-1)?.body.messages.filter(({ role }: { role: string }) => role === 'tool');
    expect(told).toHaveLength(1);
  });

  it('in the middle of tool calls', async () => {
    const calls = Array.from({ length: 12 }, (_, i) => note(`t${i}`, `note ${i}`));
    model.reply({ toolCalls: calls }, { text: ['all noted'] });
    const run = await api().agentRuns.create({ body: { goal: 'Note it all.' } });
    const followed = follow(`run:${run.id}`);
    // As soon as the first of them has written its note.
    const noted = new Promise<void>((resolve) => {
      const watch = setInterval(() => {
        if (!followed.some(([, f]) => f.events.some(({ type }) => type === 'run.note'))) return;
        clearInterval(watch);
        resolve();
      }, 1);
    });
    await api().agentRuns.start({ params: { id: run.id } });
    await noted;
    await server.kill();
    model.otherwise = () => ({ text: ['all noted'] });
    await server.start();
    const detail = await finish(run.id, followed);
    expect(detail.status).toBe('Completed');
    const notes = await api().agentNotes.list({ params: { runId: run.id }, query: { sort: 'id' } });
    expect(notes.items.map(({ content }) => content).sort()).toEqual(calls.map((_, i) => `note ${i}`).sort());
  });

  it('keeps everything that was acknowledged', async () => {
    const { id } = await api().agentRuns.create({ body: { goal: 'Keep.' } });
    const acknowledged: number[] = [];
    const writing = (async () => {
      for (;;) {
        const made = await api().agentNotes.create({ params: { runId: id }, body: { content: 'kept' } });
        acknowledged.push(made.id);
      }
    })().catch(() => undefined);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    await server.kill();
    await writing;
    await server.start();
    const { items } = await api().agentNotes.list({ params: { runId: id }, query: { pageSize: 200, sort: 'id' } });
    expect(items.map((item) => item.id).slice(0, acknowledged.length)).toEqual(acknowledged.slice(0, 200));
  });
});

describe('stopped', () => {
  it('sends streams away with a hint, finishes what is under way and starts again with the same history', async () => {
    const run = await api().agentRuns.create({ body: { goal: 'Wait.' } });
    const headers = { authorization: `Bearer ${server.key}` };
    const topic = `run:${run.id}`;
    const socket = await openSocket(server.baseUrl, headers);
    await socket.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0' });
    const { epoch } = await socket.frame((frame) => frame.type !== undefined);
    const events = await fetch(`${server.baseUrl}/api/events?topics=${topic}`, { headers });
    const underWay = fetch(`${server.baseUrl}/api/agent/runs/${run.id}/wait?timeoutMs=5000`, { headers });
    await expect
      .poll(async () =>
        /http_in_flight ([23])/.test(await (await fetch(`${server.baseUrl}/api/system/metrics`, { headers })).text()),
      )
      .toBe(true);
    const stopped = server.stop();
    expect((await socket.closed).code).toBe(1012);
    expect(await events.text()).toMatch(/retry: \d+\n$/);
    const answer = await underWay;
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { data: { id: number } }).data.id).toBe(run.id);
    expect(await stopped).toBe(0);
    const printed = server.output.length;
    await server.start();
    expect(server.output.slice(printed)).not.toMatch(/error|warn/i);
    const again = await openSocket(server.baseUrl, headers);
    await again.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0' });
    expect((await again.frame((frame) => frame.type !== undefined)).epoch).toBe(epoch);
    again.end();
  });
});
