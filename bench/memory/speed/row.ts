// One row of the table of speeds, in a process of its own: so its memory is no other's, and it is built as the server is.
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuSeconds, residentBytes } from '../../process-cost.ts';
import { quantile } from '../../report.ts';
import type { Contender } from './contender.ts';
import { openPeer } from './peer.ts';
import { openRivulet } from './rivulet.ts';

const searches = 200;
/** Searches between the first ones and the later ones: caches fill, and the code is compiled. */
const between = 400;
/** Writes that are counted, and how many of them wait for their answers at once. */
const [counted, atOnce] = [1600, 16];

const option = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    what: option,
    memories: option,
    tenants: option,
    url: option,
    server: option,
  },
});
const [memories, tenants] = [Number(values.memories), Number(values.tenants)];
/** The process of a server that was started here, whose CPU and memory are told apart. */
const server = values.server === undefined ? [] : [Number(values.server)];
const openers: Record<string, () => Promise<Contender>> = {
  embedded: () => openRivulet(null, { warms: true }),
  cold: () => openRivulet(null),
  qdrant: () => openRivulet(values.url as string, { warms: true }),
  peer: openPeer,
};
const open = openers[values.what ?? ''];
if (!open) throw new Error(`--what is one of ${Object.keys(openers).join(', ')}`);

interface Cost {
  /** CPU time of the process, ms. */
  cpu: number;
  /** By the clock, ms. */
  clock: number;
}

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [before, started] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, clock: performance.now() - started };
}

/** Quantiles, as `p50 / p95 / p99`. */
const spread = (times: readonly number[]) =>
  [0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(1)).join(' / ');

/** Acknowledged writes a second by the clock: each is on the disk, found by its words and linked when it is answered. */
async function writesASecond(write: NonNullable<Contender['write']>, asked: number): Promise<number> {
  let next = 0;
  const writer = async () => {
    while (next < counted) await write(1 + (next++ % asked));
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, writer));
  return Math.round((counted * 1000) / (performance.now() - started));
}

const contender = await open();
const beganAt = performance.now();
await contender.fill(memories, tenants);
const fillSeconds = Math.round((performance.now() - beganAt) / 1000);
/** Tenants that ask. */
const asked = Math.min(tenants, 5);
const warming = (await cost(async () => contender.warm?.())).cpu;
const first: number[] = [];
for (let tenant = 1; tenant <= asked; tenant++) first.push((await cost(() => contender.search(tenant))).cpu);
const ask = async (count: number) => {
  const costs: Cost[] = [];
  for (let at = 0; at < count; at++) {
    costs.push(await cost(() => contender.search(1 + (at % asked))));
    // Requests come by the event loop: between two of them others are served.
    await setImmediate();
  }
  return costs;
};
const early = await ask(searches);
if (contender.hasCaches) await ask(between);
const serverBefore = cpuSeconds(server);
const later = contender.hasCaches ? await ask(searches) : early;
const serverMs = ((cpuSeconds(server) - serverBefore) * 1000) / later.length;
const megabytes = Math.round(process.memoryUsage().rss / 1e6);
const row = {
  memories,
  tenants,
  'search, CPU ms': spread(early.map(({ cpu }) => cpu)),
  'and by the clock, ms': spread(early.map(({ clock }) => clock)),
  'later, CPU ms': spread(later.map(({ cpu }) => cpu)),
  'by the clock, ms': spread(later.map(({ clock }) => clock)),
  ...(server.length > 0 && {
    'the server, CPU ms a search': serverMs.toFixed(1),
    'the server, MB': Math.round(residentBytes(server) / 1e6),
  }),
  ...(contender.warm && { 'warming, CPU ms': Math.round(warming) }),
  'first, CPU ms': Math.round(Math.max(...first)),
  'writes/s': contender.write ? await writesASecond(contender.write, asked) : '–',
  'process, MB': megabytes,
  'fill, s': fillSeconds,
};
await contender.close();
console.log(JSON.stringify(row));
