// What waits for an event gets it once, though the server is killed the moment the event is seen.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { adminKey, type ChildServer, createChildServer } from '../support/child-server.ts';

const patience = { timeout: 60_000, interval: 200 };
const many = 30;
/** It is always quiet, so each wake is a row and nothing runs. */
const quietHoursJson = '[{"from":"00:00","to":"12:00"},{"from":"12:00","to":"00:00"}]';

let child: ChildServer;
let receiver: Server;
beforeAll(async () => {
  receiver = createServer((request, response) => void request.resume().on('end', () => response.end()));
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  child = await createChildServer();
  await child.start();
}, 60_000);
afterAll(async () => {
  await child?.close();
  receiver.closeAllConnections();
  await new Promise((done) => receiver.close(done));
});

const client = () => createClient({ baseUrl: child.baseUrl, token: adminKey });
const times = <T>(make: (at: number) => Promise<T>) => Promise.all(Array.from({ length: many }, (_, at) => make(at)));

it('is entered once for each routine and each webhook, across a kill', async () => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const project = await client().projects.create({ body: { name: 'Watched' } });
  const eventPattern = `project:${project.id}/fact.*`;
  const hooks = await times(async (at) => {
    const body = { name: `hook ${at}`, url, eventTypes: [eventPattern] };
    return (await client().webhooks.create({ body })).webhook.id;
  });
  const routines = await times(async (at) => {
    const body = { name: `routine ${at}`, briefMarkdown: 'Look.', scheduleKindId: 'Event' as const, quietHoursJson };
    const { id } = await client().agentRoutines.create({ body });
    // Two of its triggers name the same event: it is one wake all the same.
    for (const pattern of [eventPattern, 'fact.written'])
      await client().agentRoutines.createTrigger({
        params: { id },
        body: { eventPattern: pattern, minSecondsBetweenWakes: 0 },
      });
    return id;
  });
  const entered = async () => ({
    rows: await times(async (at) => {
      const page = await client().agentRoutines.runs({ params: { id: routines[at] as number }, query: {} });
      return page.items.map(({ outcomeId, triggerSourceId }) => `${triggerSourceId} ${outcomeId}`);
    }),
    deliveries: await times(async (at) => {
      const page = await client().webhooks.listDeliveries({ params: { id: hooks[at] as number }, query: {} });
      return page.items.map(({ status }) => status);
    }),
  });
  for (let round = 1; round <= 2; round++) {
    const watch = new AbortController();
    const events = client().stream(`project:${project.id}`, { signal: watch.signal });
    const seen = (async () => {
      for await (const { type } of events) if (type === 'fact.written') return;
    })();
    await expect.poll(async () => (await client().webSocket.connections({ query: {} })).totalCount).toBeGreaterThan(0);
    const body = { key: `round ${round}`, value: 'rain' };
    const writing = client()
      .facts.create({ params: { projectId: project.id }, body })
      .catch(() => {});
    await seen;
    await child.kill();
    watch.abort();
    await writing;
    await child.start();
    const whole = {
      rows: Array(many).fill(Array(round).fill('Event SkippedQuietHours')),
      deliveries: Array(many).fill(Array(round).fill('Delivered')),
    };
    await expect.poll(entered, patience).toEqual(whole);
  }
}, 180_000);
