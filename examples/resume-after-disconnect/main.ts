// Follows a run whose connection is lost again and again, and then in another program: nothing is missed or repeated.
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { createClient, type WebSocketConstructor } from '../../src/client/index.ts';
import { withServer } from '../own-server.ts';

/** A network that can be lost. */
async function createNetwork(to: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    lose: () => {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    close: () => server.close(),
  };
}

await withServer(join(import.meta.dirname, 'scenarios'), async (client, { url, key }) => {
  const network = await createNetwork(Number(new URL(url).port));
  const reader = createClient({
    baseUrl: network.url,
    token: key,
    WebSocket: WebSocket as unknown as WebSocketConstructor,
    retry: { minMs: 50, maxMs: 500 },
  });
  const { id } = await client.agentRuns.create({ body: { goal: 'Tell a story', modelId: 'scripted:story' } });
  const topic = `run:${id}`;
  let heard = '';
  let gaps = 0;

  const first = reader.stream(topic, {
    cursor: '0',
    onState: ({ phase, reason }) => phase === 'offline' && console.log(`\n  (${reason}: it comes back by itself)`),
  });
  await client.agentRuns.start({ params: { id } });
  let deltas = 0;
  for await (const event of first) {
    if (event.type === 'stream.gap') gaps++;
    if (event.type !== 'run.delta') continue;
    heard += event.data.delta;
    process.stdout.write(event.data.delta);
    deltas++;
    if (deltas % 4 === 0) network.lose();
    if (deltas === 13) break;
  }
  const { cursor } = first;
  console.log(`\n  (this reader stops at ${cursor}; another one goes on from there)`);

  const second = reader.stream(topic, { cursor });
  for await (const event of second) {
    if (event.type === 'stream.gap') gaps++;
    if (event.type === 'run.delta') heard += event.data.delta;
    if (event.type === 'run.delta') process.stdout.write(event.data.delta);
    if (event.type === 'run.ended') break;
  }
  network.close();
  const { progressSummary } = await client.agentRuns.get({ params: { id } });
  const whole = heard === progressSummary;
  console.log(
    `\n\n${whole ? 'Every character once' : 'Something is wrong'}, ${gaps} gaps, ${heard.length} characters.`,
  );
});
