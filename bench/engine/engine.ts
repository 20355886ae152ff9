// The engine by itself on each store, then whole runs through the server beside its peers: `tsx bench/engine/engine.ts`.
// With `--quick` it only looks whether all works; `--contest [--turns 3] [--at-once 16] [--rounds 4]` leaves the engine by
// itself out. Both leave the docs as they are.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mongoJavaServer, type ServerKind } from '../../test/support/servers/mongo.ts';
import { bundle, startFlags } from '../bundle.ts';
import { describeMachine, pin } from '../machine.ts';
import { barPlot } from '../plot.ts';
import { fixed, median, table, writeImage, writeResults, writeSection } from '../report.ts';
import { contenders, type Score, score, startProvider } from './contest/contest.ts';
import { turns as usualTurns } from './contest/provider.ts';
import type { OwnFigures } from './own.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    contest: { type: 'boolean', default: false },
    turns: { type: 'string', default: String(usualTurns) },
    'at-once': { type: 'string', default: '32' },
    rounds: { type: 'string', default: '2' },
  },
});
const { quick, contest: contestOnly } = values;
const [turns, atOnce] = [Number(values.turns), Number(values['at-once'])];
const rounds = quick ? 1 : Number(values.rounds);
const lengths = { ...(quick ? { warmUp: 1, seconds: 2 } : { warmUp: 12, seconds: 6 }), atOnce };
/** A store's server that hangs must not hold up the others. */
const ownMs = 180_000;

interface StoreKind {
  name: string;
  /** The program that keeps it, where the store is not in the measured process. */
  server?: ServerKind;
}
/** Not FerretDB 1.24, which knows no index by which documents expire. */
const storeKinds: readonly StoreKind[] = [
  { name: 'in memory' },
  { name: 'embedded' },
  { name: mongoJavaServer.name, server: mongoJavaServer },
];

interface Entry {
  name: string;
  ours: boolean;
  version: string;
  scores: Score[];
}

async function measureOwn(program: string, { name, server }: StoreKind): Promise<OwnFigures> {
  const missing = await server?.missing();
  if (missing) throw new Error(missing);
  const running = await server?.start();
  const words = [name, ...(running ? ['--uri', running.uri] : []), ...(quick ? ['--quick'] : [])];
  const child = fork(program, words, { execArgv: ['--expose-gc', ...startFlags()], timeout: ownMs });
  pin(child.pid, 0);
  try {
    return await new Promise<OwnFigures>((resolve, reject) => {
      child.once('message', (figures) => resolve(figures as OwnFigures));
      child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}`)));
    });
  } finally {
    await running?.stop();
  }
}

async function ownFigures(absent: string[]): Promise<OwnFigures[]> {
  const all: OwnFigures[] = [];
  const program = await bundle(join(import.meta.dirname, 'own.ts'));
  for (const kind of storeKinds) {
    const { name } = kind;
    try {
      all.push(await measureOwn(program, kind));
      console.log(`the engine, ${name}: done`);
    } catch (error) {
      absent.push(`the store ${name}: ${(error as Error).message}`);
      console.log(`without ${absent.at(-1)}`);
    }
  }
  return all;
}

async function contest(absent: string[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  const provider = await startProvider(turns);
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const { name, ours = false } = contender;
      if (absent.some((reason) => reason.startsWith(`${name}: `))) continue;
      try {
        const found = contender.look();
        if ('missing' in found) throw new Error(found.missing);
        const result = await score(contender, provider.url, lengths);
        const known = entries.find((entry) => entry.name === name);
        if (known) known.scores.push(result);
        else entries.push({ name, ours, version: found.version, scores: [result] });
        console.log(`${name}: ${fixed(result.runsPerSecond)} runs/s, ${fixed(result.cpuMs)} ms of CPU a run`);
      } catch (error) {
        absent.push(`${name}: ${(error as Error).message.split('\n')[0]}`);
        console.log(`without ${absent.at(-1)}`);
      }
    }
  }
  provider.stop();
  return entries;
}

const speed = ({ scores }: Entry) => median(scores.map(({ runsPerSecond }) => runsPerSecond));
const cpu = ({ scores }: Entry) => median(scores.map(({ cpuMs }) => cpuMs));
const alone = ({ scores }: Entry, field: keyof Score['alone']) => median(scores.map((one) => one.alone[field]));
/** Kilobytes on the disk for one run. */
const disk = ({ scores }: Entry) => {
  const kept = scores.flatMap(({ diskBytes }) => diskBytes ?? []);
  return kept.length === 0 ? '–' : fixed(median(kept) / 1000, 0);
};

function ownTable(all: readonly OwnFigures[]): string {
  const head = [
    'store',
    'overhead a turn p50 / p99, ms',
    'runs at once',
    'runs/s, 5 turns of 200 ms',
    'CPU a turn, ms',
    'waits for a decision, KiB of heap / of all',
    'waits for a child, KiB of heap / of all',
  ];
  const rows = all.map((one) => [
    one.store,
    `${fixed(one.overheadP50, 2)} / ${fixed(one.overheadP99, 2)}`,
    String(one.atOnce),
    fixed(one.runsPerSecond, 0),
    fixed(one.cpuMsPerTurn, 2),
    `${fixed(one.waitingForDecision.heapKib)} / ${fixed(one.waitingForDecision.rssKib)}`,
    `${fixed(one.waitingForChildren.heapKib)} / ${fixed(one.waitingForChildren.rssKib)}`,
  ]);
  return table(head, rows);
}

function contestTable(entries: readonly Entry[]): string {
  const [first] = entries;
  const rows = entries.map((entry) => [
    entry.name,
    fixed(speed(entry)),
    fixed(cpu(entry)),
    `${fixed(alone(entry, 'cpuMs'))} / ${fixed(alone(entry, 'p50Ms'))}`,
    disk(entry),
    first && first !== entry ? `${fixed(speed(first) / speed(entry))} × / ${fixed(cpu(entry) / cpu(first))} ×` : '',
  ]);
  const head = ['server', 'runs/s', 'CPU a run, ms', 'one alone: CPU / by the clock, ms', 'disk a run, KB'];
  return table([...head, 'Rivulet to it, by runs/s / by CPU'], rows);
}

const plot = (entries: readonly Entry[]) =>
  barPlot({
    title: `Runs of ${turns} turns, ${atOnce} at once, one core`,
    columns: [
      { title: 'runs a second', note: 'more is better', digits: 1 },
      { title: 'CPU a run', note: 'ms, less is better', digits: 1 },
    ],
    groups: [
      {
        title: 'Same provider, which answers at once',
        rows: entries.map((entry) => ({ name: entry.name, ours: entry.ours, values: [speed(entry), cpu(entry)] })),
      },
    ],
  });

const machine = describeMachine();
console.log(machine);
const absent: string[] = [];
const entries = await contest(absent);
const own = contestOnly ? [] : await ownFigures(absent);
writeResults('engine', { machine, at: new Date().toISOString(), own, entries, absent });
console.log(`\n${contestOnly ? '' : `${ownTable(own)}\n\n`}${contestTable(entries)}`);
const section = `
![Runs a second](images/bench-engine.svg)

Whole runs through each server's HTTP API: ${turns} turns, of which the last calls no tool, ${atOnce} runs at once and then one alone, the server on one core, the same provider, which answers at once. Rivulet keeps every step on disk and events for replay; LangGraph with its SQLite checkpointer keeps a checkpoint of each step, Mastra with libsql the messages of each thread, and the others nothing. Medians of ${rounds} interleaved rounds, each after ${lengths.warmUp} s of the same load, since a server runs for days.

${contestTable(entries)}

The engine by itself, with a scripted model in its process; its overhead is that of one run after the other, once 1,000 turns have passed. With the store in memory the store's share is in the memory of a run.

${ownTable(own)}

Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}. ${entries.map(({ name, version }) => `${name} ${version}`).join('; ')}. ${absent.length > 0 ? `Not measured: ${absent.join('; ')}.` : ''}`;
if (!quick && !contestOnly) {
  writeImage('bench-engine.svg', plot(entries));
  writeSection('engine', section);
}
process.exit(0);
