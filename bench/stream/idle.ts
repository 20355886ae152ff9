// What an idle connection takes of a server that nobody makes collect garbage: `tsx bench/stream/idle.ts` (about 6 minutes).
// The whole resident memory, as `npm start` runs the server: right after 9,900 connections have come, and once V8 has given
// back what their coming took, beside what the server took before they came.
import { type AddressInfo, createServer } from 'node:net';
import { createClient } from '../../src/client/index.ts';
import { describeMachine } from '../machine.ts';
import { residentBytes } from '../process-cost.ts';
import { fixed, table } from '../report.ts';
import { adminKey, startRivulet } from '../rivulet.ts';
import type { Contender } from './contender.ts';
import { compileLoad, startLoad } from './load.ts';
import { rivulet } from './ours.ts';

/** One key may have 10,000. The load generator is a process for each of these. */
const arrivals = [2500, 5000, 2400];
/** Seconds in which V8 gives back what a start, or connections that come, have taken: two collections of an idle process. */
const settling = 160;
const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function measure(one: Contender): Promise<string[]> {
  const { pid, url, stop } = await startRivulet();
  await createClient({ baseUrl: url, token: adminKey }).agentRuns.create({ body: { goal: 'be watched' } });
  // The generator tells somebody of what it reads, which is nothing here.
  const control = createServer((socket) => socket.resume()).listen(0);
  const { port: controlPort } = control.address() as AddressInfo;
  const server = { port: Number(new URL(url).port), controlPort, path: one.path };
  const resident = () => residentBytes([pid]);
  await wait(settling);
  const before = resident();
  const loads = [];
  for (const connections of arrivals) loads.push(await startLoad(one, server, { connections }));
  await wait(2);
  const count = arrivals.reduce((sum, connections) => sum + connections, 0);
  const each = () => fixed((resident() - before) / count / 1024);
  const atOnce = each();
  await wait(settling);
  const settled = each();
  await Promise.all(loads.map((load) => load.stop()));
  await stop();
  control.close();
  return [`${one.name}, ${one.kind}`, fixed(before / 1e6, 0), atOnce, settled];
}

compileLoad();
const ours = rivulet.filter(({ name }) => name === 'Rivulet');
const rows = await Promise.all(ours.map(measure));
const heads = ['server', 'process before, MB', 'a connection at once, KiB', `after ${settling} s, KiB`];
console.log(`${describeMachine()}\n\n${table(heads, rows)}`);
process.exit(0);
