// Hours of load in short form: a steady rate to clients that come, go, stall and resume, while memory must stay flat.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectOnce } from '../../test/support/garbage.ts';
import { uwsAdapter } from '../http/adapters/uws/server.ts';
import { openWs, type WsClient } from './testing/clients.ts';
import { startTestServer } from './testing/server.ts';

const minutes = Number(process.env.CHAOS_MINUTES ?? 1);
const clients = 200;
/** Events a second: times the clients that follow, 20,000 deliveries. */
const perSecond = 100;

/** Samples of the heap in the whole time. */
const sampled = 40;

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

interface Seat {
  client: WsClient | null;
  last: string;
  next: number;
  /** What is missing up to here was told of. */
  toldTo: number;
  stalled: boolean;
}

test(`${minutes} min of 20,000 deliveries a second with churn`, async () => {
  const server = await startTestServer(uwsAdapter, { limits: { stallMs: 5000 } });
  const { publisher } = server.streams;
  let published = 0;
  const publish = () => {
    const data = { n: published++, text: 'x'.repeat(150) };
    return publisher.publish({
      tenantId: 1,
      topics: ['run:1'],
      type: 'run.event',
      data,
      durable: published % 50 === 0,
    });
  };

  const wrong: string[] = [];
  /** Each event once and in order; a gap tells of all that may be missing up to its latest number. */
  const listen = (seat: Seat, client: WsClient) => {
    client.events.push = (event) => {
      seat.last = `${event.epoch}.${event.seq}`;
      if (event.type === 'stream.gap') {
        seat.toldTo = event.data.latestSeq as number;
        return;
      }
      const n = event.data.n as number;
      const told = event.seq - 1 <= seat.toldTo;
      if (told ? n < seat.next : n !== seat.next) wrong.push(`${n} instead of ${seat.next}, told to ${seat.toldTo}`);
      seat.next = n + 1;
    };
  };
  const connect = async (seat: Seat) => {
    const client = await openWs(server.wsUrl, 'key-1');
    seat.toldTo = 0;
    listen(seat, client);
    seat.client = client;
    await client.command({ op: 'Subscribe', topics: ['run:1'], lastEventId: seat.last });
  };
  const seats: Seat[] = Array.from({ length: clients }, () => ({
    client: null,
    last: '0',
    next: 0,
    toldTo: 0,
    stalled: false,
  }));
  for (const seat of seats) await connect(seat);

  const churn = async (round: number) => {
    const seat = seats[round % clients] as Seat;
    if (seat.stalled) {
      seat.client?.socket.resume();
      seat.stalled = false;
    } else if (round % 3 === 0) {
      seat.client?.socket.pause();
      seat.stalled = true;
    } else {
      seat.client?.socket.terminate();
      await connect(seat);
    }
  };

  const samples: number[] = [];
  const started = performance.now();
  for (let round = 0; performance.now() - started < minutes * 60_000; round++) {
    const due = ((performance.now() - started) / 1000) * perSecond;
    const sending: Promise<void>[] = [];
    while (published < due) sending.push(publish());
    await Promise.all(sending);
    if (round % 5 === 0) await churn(round / 5);
    if (performance.now() - started > (samples.length * minutes * 60_000) / sampled) {
      collectOnce();
      samples.push(process.memoryUsage().heapUsed / 2 ** 20);
    }
    await wait(10);
  }

  console.info(`published ${published}, heap MiB: ${samples.map((mib) => mib.toFixed(1)).join(' ')}`);
  for (const seat of seats) {
    seat.client?.socket.terminate();
    await connect(seat);
  }
  await expect.poll(() => seats.filter(({ next }) => next !== published).length, { timeout: 120_000 }).toBe(0);
  expect(wrong).toEqual([]);
  // What lives after a collection, once the windows and caches are full: medians, as single samples catch a burst.
  const quarter = samples.length >> 2;
  expect(median(samples.slice(-quarter))).toBeLessThan(median(samples.slice(quarter, 2 * quarter)) * 1.1 + 5);
  await server.close();
}, 900_000);
