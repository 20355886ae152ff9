// One server under test, in a process of its own: does what the benchmark asks over IPC and says what it cost.
import { createServer, type Socket } from 'node:net';
import { pin } from '../machine.ts';
import { cpuSeconds, residentBytes } from '../process-cost.ts';
import type { EventData } from './contender.ts';
import { contenders, idOf } from './contenders.ts';
import { serverCore } from './peers/program.ts';

const contender = contenders.find((one) => idOf(one) === process.argv[2]);
if (!contender) throw new Error(`there is no ${process.argv[2]}`);
const running = await contender.start();
const { pids } = running;
// A publisher beside its server must not take the server's time.
pin(process.pid, pids.includes(process.pid) ? serverCore : 1);

/** Ticks that may be on their way to the load generator. */
const maxOutstanding = 6;
let outstanding = 0;
let arrived = () => {};
const control = createServer((socket: Socket) => {
  socket.on('data', (data) => {
    outstanding -= data.length;
    arrived();
  });
});
await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));

const pad = 'x'.repeat(110);
const event = (): EventData => ({ at: `^${process.hrtime.bigint() / 1000n}`, text: pad });
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function cost(act: () => Promise<number>) {
  const before = cpuSeconds(pids);
  const sent = await act();
  return { sent, cpuSeconds: cpuSeconds(pids) - before };
}

/** One tick after the other, as fast as the readers take them; ends when they have the last. */
async function flood(perTick: number, seconds: number): Promise<number> {
  outstanding = 0;
  const until = performance.now() + seconds * 1000;
  let sent = 0;
  const answered = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1000);
      arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  while (performance.now() < until) {
    outstanding++;
    running.send(Array.from({ length: perTick }, event));
    sent += perTick;
    await turn();
    if (outstanding >= maxOutstanding) await answered();
  }
  for (let waited = 0; outstanding > 0 && waited < 10; waited++) await answered();
  return sent;
}

/** So many events a second, evenly. */
async function pace(perSecond: number, seconds: number): Promise<number> {
  const start = performance.now();
  const total = perSecond * seconds;
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond));
    for (; sent < due; sent++) running.send([event()]);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return total;
}

/** Resident memory, less what V8 holds free: that room comes and goes with garbage, and would hide what is used. */
function memory(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapTotal, heapUsed } = process.memoryUsage();
  return residentBytes(pids) - (pids.includes(process.pid) ? heapTotal - heapUsed : 0);
}

interface Ask {
  do: 'flood' | 'pace' | 'memory' | 'keep';
  amount?: number;
  seconds?: number;
}

async function answer({ do: what, amount = 1, seconds = 1 }: Ask): Promise<object> {
  switch (what) {
    case 'flood':
      return cost(() => flood(amount, seconds));
    case 'pace':
      return cost(() => pace(amount, seconds));
    case 'keep':
      await running.keep?.(amount);
      return {};
    case 'memory':
      return { bytes: memory() };
  }
}

process.on('message', (ask: Ask) => {
  answer(ask).then(
    (said) => process.send?.(said),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => {
  setTimeout(() => process.exit(0), 3000).unref();
  void running.stop().finally(() => process.exit(0));
});
const address = control.address();
process.send?.({
  port: running.port,
  controlPort: typeof address === 'object' && address ? address.port : 0,
  path: running.path ?? contender.path,
});
