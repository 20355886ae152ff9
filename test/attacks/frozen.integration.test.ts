// Whole servers while their Redis or their database stands still, or Redis is away and has forgotten all: ends are told
// once, and runs go on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

const count = 10;
const patience = { timeout: 90_000, interval: 100 };

describe.skipIf(missing !== null)('two servers', () => {
  let nodes: Nodes;
  let model: FakeServer;
  beforeAll(async () => {
    model = await startFakeServer();
    nodes = await startNodes(2, environmentOf(model));
  }, 300_000);
  afterAll(async () => {
    model?.release();
    await nodes?.close();
    await model?.close();
  });

  const clientOf = (at: number) => {
    const server = nodes.servers[at]!;
    return createClient({ baseUrl: server.baseUrl, token: server.key });
  };

  /** Ten runs, half on each server, whose model speaks for about `seconds`; their ends as each server tells them. */
  async function startRuns(seconds: number) {
    const words = Array.from({ length: 20 }, (_, at) => `word ${at} `);
    model.otherwise = () => ({ text: words, frameDelayMs: (seconds * 1000) / words.length });
    const ids: number[] = [];
    for (let at = 0; at < count; at++) {
      const run = await clientOf(at % 2).agentRuns.create({ body: { goal: `Number ${at}`, autoStart: true } });
      ids.push(run.id);
    }
    const ends = [0, 1].map((at) => {
      const told = new Map<number, number>();
      const stream = clientOf(at).stream('runs', { cursor: '0', transport: 'sse' });
      void (async () => {
        for await (const event of stream)
          if (event.type === 'run.ended') told.set(event.data.id, (told.get(event.data.id) ?? 0) + 1);
      })().catch(() => undefined);
      return { told, close: () => stream.close() };
    });
    const statuses = () =>
      Promise.all(ids.map(async (id) => (await clientOf(0).agentRuns.get({ params: { id } })).status));
    return { ids, ends, statuses };
  }

  async function expectOneEndEach({ ids, ends, statuses }: Awaited<ReturnType<typeof startRuns>>) {
    await expect.poll(statuses, patience).toEqual(ids.map(() => 'Completed'));
    for (const { told } of ends) await expect.poll(() => ids.every((id) => told.has(id)), patience).toBe(true);
    // A second end would come with what is told after the first ones.
    await clientOf(1).agentRuns.create({ body: { goal: 'Afterwards' } });
    for (const { told, close } of ends) {
      expect(ids.map((id) => told.get(id))).toEqual(ids.map(() => 1));
      close();
    }
  }

  it('tell each end once when Redis stands still for ten seconds', async () => {
    const runs = await startRuns(3);
    await model.arrived(count);
    nodes.redis.freeze(true);
    await systemClock.sleep(10_000);
    nodes.redis.freeze(false);
    await expectOneEndEach(runs);
  }, 180_000);

  it('tell each end once when the database stands still for ten seconds', async () => {
    const before = model.requests.length;
    const { store } = nodes;
    if (!store.freeze) return console.warn('skipped: the database at MONGODB_URI is not ours to freeze');
    const runs = await startRuns(3);
    await model.arrived(before + count);
    store.freeze(true);
    await systemClock.sleep(10_000);
    store.freeze(false);
    await expectOneEndEach(runs);
    // Nobody took them for dead: no call was made twice.
    expect(model.requests.length - before).toBe(count);
  }, 180_000);

  it('go on within seconds when Redis was away for three, and has forgotten all', async () => {
    const before = model.requests.length;
    const runs = await startRuns(3);
    await model.arrived(before + count);
    await nodes.redis.restart({ lose: true, back: systemClock.sleep(3000) });
    await expectOneEndEach(runs);
  }, 180_000);
});
