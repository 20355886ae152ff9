// The main job: a run on a real OpenAI-compatible server, watched by every kind of client over a network that is cut.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCuttingProxy } from '../support/cutting-proxy.ts';
import { type Followed, followers } from '../support/followers.ts';
import { withoutGrace } from '../support/hasty-clock.ts';
import type { FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type TestServer, transports } from '../support/test-server.ts';

const words = Array.from({ length: 400 }, (_, i) => `word${i} `);
const answerText = words.join('');

/** Four turns: a plan, two tools at once, a note, and a long answer, word by word. */
function scriptTurns(model: FakeServer, frameDelayMs = 0) {
  model.reply(
    {
      toolCalls: [{ id: 'c1', name: 'run_plan', arguments: ['{"steps":["look","report"]}'] }],
      usage: { prompt: 100, completion: 20 },
    },
    {
      text: ['Two things ', 'at once.'],
      toolCalls: [
        { id: 'c2', name: 'run_note', arguments: ['{"content":"first"}'] },
        { id: 'c3', name: 'run_progress', arguments: ['{"summary":"half way"}'] },
      ],
      usage: { prompt: 200, completion: 30 },
    },
    {
      toolCalls: [{ id: 'c4', name: 'run_note', arguments: ['{"content":42}'] }],
      usage: { prompt: 250, completion: 10 },
    },
    { reasoning: ['I think ', 'I am done.'], text: words, usage: { prompt: 300, completion: 400 }, frameDelayMs },
  );
}

function checkStream(events: Followed[], gaps: boolean) {
  const byEpoch = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'stream.gap') continue;
    const last = byEpoch.get(event.epoch);
    expect(event.seq).toBeGreaterThan(last ?? 0);
    // Only neighbouring deltas may be merged into one event.
    if (last !== undefined && event.seq !== last + 1 && !gaps) expect(event.type).toBe('run.delta');
    byEpoch.set(event.epoch, event.seq);
  }
  const seqs = events.filter((event) => event.type === 'run.event').map((event) => event.data.seq);
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
}

const textOf = (events: Followed[], kind: string) =>
  events
    .filter((event) => event.type === 'run.delta' && event.data.kind === kind)
    .map((event) => event.data.delta)
    .join('');

describe.each(transports)('main job on %s', (transport) => {
  let model: FakeServer;
  let server: TestServer;
  let close: ServerWithModel['close'];
  beforeAll(async () => {
    const settings = { RIVULET_TRANSPORT: transport, RIVULET_MODEL: 'openai:gpt-4o-mini' };
    ({ model, server, close } = await startServerWithModel(settings, withoutGrace));
  });
  afterAll(() => close());

  it('runs several turns with tools and counts tokens and cost', async () => {
    scriptTurns(model);
    const run = await server.client.agentRuns.create({ body: { goal: 'Look and report.' } });
    expect(run.status).toBe('Pending');
    await server.client.agentRuns.start({ params: { id: run.id } });
    const ended = await server.client.agentRuns.wait({ params: { id: run.id }, query: { timeoutMs: 20_000 } });
    expect(ended).toMatchObject({
      status: 'Completed',
      iterationsUsed: 4,
      promptTokens: 850,
      completionTokens: 460,
      tokensUsed: 1310,
    });
    expect(ended.progressSummary?.trim()).toBe(answerText.trim());
    // gpt-4o-mini: $0.15 and $0.60 for a million tokens.
    expect(ended.costUsd).toBeCloseTo((850 * 0.15 + 460 * 0.6) / 1e6, 12);
    const detail = await server.client.agentRuns.get({ params: { id: run.id } });
    expect(detail.notes.map((note) => note.content)).toEqual(['first']);
    expect(JSON.parse(detail.planJson ?? 'null')).toBeTruthy();
    // The wrong arguments came back to the model as something it can act on.
    const last = model.requests.at(-1)?.body.messages.at(-1);
    expect(last).toMatchObject({ role: 'tool', tool_call_id: 'c4' });
    expect(last.content).toMatch(/content/);
  });

  it('reaches every kind of client complete and in order, each cut ten times on the way', async () => {
    scriptTurns(model, 4);
    const run = await server.client.agentRuns.create({ body: { goal: 'Look and report.' } });
    const watchers = await Promise.all(
      Object.entries(followers).map(async ([name, follow]) => {
        const proxy = await createCuttingProxy({ port: server.port });
        const at = { baseUrl: `http://127.0.0.1:${proxy.port}`, key: server.key, topic: `run:${run.id}`, retryMs: 20 };
        const follower = follow(at);
        proxy.cutEvery(1500, 10);
        return { name, proxy, follower };
      }),
    );
    await server.client.agentRuns.start({ params: { id: run.id } });
    await Promise.all(watchers.map(({ follower }) => follower.done));
    const stored = await server.client.agentRuns.events({ params: { runId: run.id }, query: { limit: 1000 } });
    for (const { name, proxy, follower } of watchers) {
      follower.close();
      await proxy.close();
      expect([name, proxy.cuts]).toEqual([name, 10]);
      checkStream(follower.events, false);
      expect([name, follower.events.filter((event) => event.type === 'stream.gap')]).toEqual([name, []]);
      expect(textOf(follower.events, 'Content'), name).toBe(`Two things at once.${answerText}`);
      expect(textOf(follower.events, 'Reasoning'), name).toBe('I think I am done.');
      expect(follower.events.at(-1)?.type, name).toBe('run.ended');
      const seen = follower.events.filter((event) => event.type === 'run.event').map((event) => event.data);
      expect(seen, name).toEqual(stored);
    }
  });

  it('goes on after an orderly restart in the middle of a turn, which is taken again', async () => {
    model.reply(
      { toolCalls: [{ id: 'c1', name: 'run_note', arguments: ['{"content":"before"}'] }] },
      { text: ['slow ', 'answer'], stallAfter: 1 },
    );
    const before = model.requests.length;
    const run = await server.client.agentRuns.create({ body: { goal: 'Survive.', autoStart: true } });
    await model.arrived(before + 2);
    await server.restart(async () => model.reply({ text: ['done'] }));
    const ended = await server.client.agentRuns.wait({ params: { id: run.id }, query: { timeoutMs: 20_000 } });
    expect(ended).toMatchObject({ status: 'Completed', progressSummary: 'done' });
    expect(model.requests).toHaveLength(before + 3);
    const { notes } = await server.client.agentRuns.get({ params: { id: run.id } });
    expect(notes.map((note) => note.content)).toEqual(['before']);
  });
});
