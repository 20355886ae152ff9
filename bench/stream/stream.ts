// Fan-out, latency, memory, stalls and resumes of the whole server beside its peers: `tsx bench/stream/stream.ts [name …]`.
// Rounds are interleaved, so that what else the machine does falls on all alike. Without names the results go to the docs.
import { describeMachine } from '../machine.ts';
import { writeResults } from '../report.ts';
import type { Contender } from './contender.ts';
import { contenders, idOf } from './contenders.ts';
import { compileLoad } from './load.ts';
import { fiveThousand, resume, stalled, thousand } from './measure.ts';
import { type Figures, printReport, writeReport } from './report.ts';

/** Seconds of each measurement. */
const seconds = 1.5;
/** Peers that the goals name are measured once more than the others. */
const compared = ['Rivulet', 'socket.io on ws', 'better-sse on node:http', 'nchan'];
const [rounds, roundsOfOthers] = [3, 2];

const words = process.argv.slice(2);
const machine = describeMachine();
console.log(machine);
compileLoad();

const taking: { one: Contender; figures: Figures }[] = [];
const absent: string[] = [];
for (const one of contenders) {
  if (words.length > 0 && !words.some((word) => idOf(one).includes(word))) continue;
  const found = one.look();
  if ('missing' in found) {
    absent.push(`${idOf(one)}: ${found.missing}`);
    console.log(`without ${absent.at(-1)}`);
    continue;
  }
  const { name, kind, ours = false } = one;
  taking.push({
    one,
    figures: { name, kind, ours, version: found.version, rounds: [], large: null, stalled: null, resume: null },
  });
}

/** A contender that fails is shown without figures; the others go on. */
async function attempt<T>(one: Contender, what: string, measure: () => Promise<T>): Promise<T | null> {
  const started = performance.now();
  try {
    const result = await measure();
    console.log(`${idOf(one)}: ${what} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
    return result;
  } catch (error) {
    console.log(`${idOf(one)}: ${what} failed: ${(error as Error).message}`);
    return null;
  }
}

for (let round = 1; round <= rounds; round++) {
  for (const { one, figures } of taking) {
    if (round > roundsOfOthers && !compared.includes(one.name)) continue;
    const result = await attempt(one, `round ${round}`, () => thousand(one, seconds));
    if (result) figures.rounds.push(result);
  }
}
for (const { one, figures } of taking) {
  figures.large = await attempt(one, '5,000 connections', () => fiveThousand(one, seconds));
  if (!one.ours || one.frames || one.name.includes('durable')) continue;
  figures.stalled = await attempt(one, 'stalled clients', () => stalled(one));
  figures.resume = await attempt(one, 'resume', () => resume(one));
}

const all = taking.map(({ figures }) => figures);
writeResults('stream', { machine, at: new Date().toISOString(), all, absent });
printReport(all);
if (words.length === 0) writeReport({ machine, all, absent });
