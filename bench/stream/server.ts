// One server under test, in a process of its own: does what the bench asks over IPC and says what it cost.
import { createServer, type Socket } from 'node:net';
import { cases } from './cases.ts';

const wanted = cases.find(({ name }) => name === process.argv[2]);
if (!wanted) throw new Error(`no case ${process.argv[2]}`);
const running = await wanted.start();

/** Ticks that may be on their way to the load generator. */
const maxOutstanding = 6;
let outstanding = 0;
const control = createServer((socket: Socket) => {
  socket.on('data', (data) => {
    outstanding -= data.length;
  });
});
await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));

const pad = 'x'.repeat(110);
const event = () => ({ at: `^${process.hrtime.bigint() / 1000n}`, text: pad });
const memory = () => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

/** One tick after the other, as fast as the readers take them. */
async function flood(perTick: number, seconds: number) {
  outstanding = 0;
  const before = process.cpuUsage();
  const until = performance.now() + seconds * 1000;
  let sent = 0;
  while (performance.now() < until) {
    if (outstanding < maxOutstanding) {
      outstanding++;
      for (let n = 0; n < perTick; n++) running.send(event());
      sent += perTick;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  return { sent, cpuSeconds: (user + system) / 1e6 };
}

/** So many events a second, evenly. */
async function pace(perSecond: number, seconds: number) {
  const before = process.cpuUsage();
  const start = performance.now();
  const total = perSecond * seconds;
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond));
    for (; sent < due; sent++) running.send(event());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { user, system } = process.cpuUsage(before);
  return { sent: total, cpuSeconds: (user + system) / 1e6 };
}

interface Ask {
  do: 'flood' | 'pace' | 'memory' | 'keep' | 'buffered';
  amount?: number;
  seconds?: number;
}

process.on('message', async ({ do: what, amount = 1, seconds = 1 }: Ask) => {
  if (what === 'flood') process.send?.(await flood(amount, seconds));
  else if (what === 'pace') process.send?.(await pace(amount, seconds));
  else if (what === 'keep') process.send?.({ sent: await running.keep?.(amount) });
  else if (what === 'memory') process.send?.({ rss: memory() });
  else process.send?.({ buffered: running.connections?.().map(({ bufferedBytes }) => bufferedBytes) ?? [] });
});
process.on('disconnect', () => {
  running.stop?.();
  process.exit(0);
});
const address = control.address();
process.send?.({ port: running.port, controlPort: typeof address === 'object' && address ? address.port : 0 });
