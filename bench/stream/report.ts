// The stream benchmark's tables, its comparison with the goals, and its plot.
import { barPlot, type PlotRow } from '../plot.ts';
import { fixed, median, table, thousands, writeImage, writeSection } from '../report.ts';
import type { Fanout, fiveThousand, resume, stalled, thousand } from './measure.ts';

type Result<F extends (...words: never[]) => Promise<unknown>> = Awaited<ReturnType<F>>;

export interface Figures {
  name: string;
  kind: 'WebSocket' | 'SSE';
  ours: boolean;
  version: string;
  rounds: Result<typeof thousand>[];
  large: Result<typeof fiveThousand> | null;
  stalled: Result<typeof stalled> | null;
  resume: Result<typeof resume> | null;
}

type Load = 'single' | 'burst' | 'paced' | 'calm';

const typical = (figures: Figures | undefined, load: Load, field: keyof Fanout): number =>
  median((figures?.rounds ?? []).map((round) => round[load][field]));

/** Whether a server took the fixed rate; one that is behind has a latency without meaning. */
const keepsUp = (figures: Figures): boolean => typical(figures, 'paced', 'missing') <= 500;

const speed = (perSecond: number, cpuMicros: number) => `${thousands(perSecond)} (${fixed(cpuMicros)} µs)`;

function mainTable(all: readonly Figures[], kind: Figures['kind']): string {
  const head = [
    kind,
    '1,000, one at a time',
    '1,000, ten a tick',
    '5,000, one at a time',
    'p50 / p99, ms',
    'at 20,000, ms',
    'idle, KiB',
  ];
  const times = (one: Figures, load: Load) =>
    `${fixed(typical(one, load, 'p50'))} / ${fixed(typical(one, load, 'p99'))}`;
  const rows = all
    .filter((one) => one.kind === kind)
    .map((one) => [
      one.name,
      speed(typical(one, 'single', 'perSecond'), typical(one, 'single', 'cpuMicros')),
      speed(typical(one, 'burst', 'perSecond'), typical(one, 'burst', 'cpuMicros')),
      one.large ? speed(one.large.single.perSecond, one.large.single.cpuMicros) : '–',
      keepsUp(one) ? times(one, 'paced') : 'falls behind',
      times(one, 'calm'),
      one.large ? fixed(one.large.idleKib) : '–',
    ]);
  return table(head, rows);
}

interface Goal {
  what: string;
  goal: string;
  seen: string;
  met: boolean;
}

function ratio(what: string, load: Load, goal: number, ours?: Figures, peer?: Figures): Goal {
  const byRate = typical(ours, load, 'perSecond') / typical(peer, load, 'perSecond');
  const byCpu = typical(peer, load, 'cpuMicros') / typical(ours, load, 'cpuMicros');
  const seen = `${fixed(byRate, 2)} × deliveries a second, ${fixed(byCpu, 2)} × by CPU time`;
  return { what, goal: `≥ ${goal} ×`, seen, met: byRate >= goal };
}

function goals(all: readonly Figures[]): Goal[] {
  const find = (name: string, kind: Figures['kind']) => all.find((one) => one.name === name && one.kind === kind);
  const [ws, sse] = [find('Rivulet', 'WebSocket'), find('Rivulet', 'SSE')];
  const [socketIo, nchan] = [find('socket.io on ws', 'WebSocket'), find('nchan', 'WebSocket')];
  const betterSse = find('better-sse on node:http', 'SSE');
  const p99 = (peer: Figures | undefined, name: string, load: Load = 'paced'): Goal => {
    const [ours, theirs] = [typical(ws, load, 'p99'), typical(peer, load, 'p99')];
    return {
      what: `p99 at ${load === 'calm' ? '20,000' : '50,000'} deliveries a second, ${name}`,
      goal: `≤ ${fixed(theirs)} ms`,
      seen: `${fixed(ours)} ms`,
      met: ours <= theirs,
    };
  };
  const atMost = (what: string, limit: number, kib: number | undefined): Goal => ({
    what,
    goal: `≤ ${limit} KiB`,
    seen: `${fixed(kib ?? Number.NaN)} KiB`,
    met: (kib ?? Number.POSITIVE_INFINITY) <= limit,
  });
  return [
    ratio('WebSocket, one at a time, to socket.io on ws', 'single', 2, ws, socketIo),
    ratio('WebSocket, one at a time, to nchan', 'single', 1.3, ws, nchan),
    ratio('WebSocket, ten a tick, to socket.io on ws', 'burst', 10, ws, socketIo),
    ratio('server-sent events, one at a time, to better-sse', 'single', 2.2, sse, betterSse),
    ratio('server-sent events, ten a tick, to better-sse', 'burst', 8, sse, betterSse),
    p99(socketIo, 'socket.io on ws'),
    p99(nchan, 'nchan'),
    p99(nchan, 'nchan', 'calm'),
    atMost('memory of an idle WebSocket', 4, ws?.large?.idleKib),
    atMost('memory of an idle event stream', 4, sse?.large?.idleKib),
    atMost('memory of a stalled WebSocket', 256, ws?.stalled?.kib),
    atMost('memory of a stalled event stream', 256, sse?.stalled?.kib),
  ];
}

const goalTable = (all: readonly Figures[]) =>
  table(
    ['goal', 'wanted', 'seen', ''],
    goals(all).map(({ what, goal, seen, met }) => [what, goal, seen, met ? 'met' : 'not met']),
  );

function ownTable(all: readonly Figures[]): string {
  const rows = all.flatMap(({ name, kind, stalled: found, resume: resumed }) => {
    if (!found || !resumed) return [];
    const { kib, kernelKib, ...noticed } = found;
    const missed = Object.values(noticed).reduce((sum, { missing }) => sum + missing, resumed.missing);
    return [
      [
        `${name}, ${kind}`,
        ...[noticed.alone, noticed.besideReading, noticed.besideFilling, noticed.besideStalled].map(
          ({ p50, p99 }) => `${fixed(p50)} / ${fixed(p99)}`,
        ),
        `${fixed(kib, 0)} + ${fixed(kernelKib, 0)}`,
        fixed(resumed.ms, 0),
        missed === 0 ? 'none' : `${missed}`,
      ],
    ];
  });
  const head = [
    'p50 / p99 of 20 readers, ms',
    'by themselves',
    'beside 200 that read',
    'beside 200 that fill up',
    'beside 200 that are stalled',
    'a stalled client, KiB in the process + in the kernel',
    'resume of 10,000 events, ms',
    'events missed',
  ];
  return table(head, rows);
}

/** How busy the load generator was at most. */
const busiest = (all: readonly Figures[]) =>
  Math.max(
    ...all.flatMap(({ rounds }) =>
      rounds.flatMap(({ single, burst }) => [single.generatorShare, burst.generatorShare]),
    ),
  );

function plot(all: readonly Figures[]): string {
  const rowsOf = (kind: Figures['kind']): PlotRow[] =>
    all
      .filter((one) => one.kind === kind && !one.name.includes('durable'))
      .map((one) => ({
        name: one.name,
        ours: one.ours,
        values: [
          typical(one, 'single', 'perSecond') / 1000,
          typical(one, 'burst', 'perSecond') / 1000,
          typical(one, 'single', 'cpuMicros'),
          keepsUp(one) ? typical(one, 'paced', 'p99') : null,
          one.large?.idleKib ?? null,
        ].map((value) => (value !== null && Number.isFinite(value) ? value : null)),
      }));
  return barPlot({
    title: 'Fan-out to 1,000 subscribers',
    columns: [
      { title: 'one at a time', note: 'thousands a second', digits: 0 },
      { title: 'ten a tick', note: 'thousands a second', digits: 0 },
      { title: 'CPU a delivery', note: 'µs, less is better', digits: 1 },
      { title: 'p99 at 50k/s', note: 'ms, less is better', digits: 1 },
      { title: 'idle connection', note: 'KiB, less is better', digits: 1 },
    ],
    groups: [
      { title: 'WebSocket', rows: rowsOf('WebSocket') },
      { title: 'Server-sent events', rows: rowsOf('SSE') },
    ],
  });
}

export function printReport(all: readonly Figures[]): void {
  const share = `The load generator used at most ${fixed(busiest(all) * 100, 0)} % of its core.`;
  const parts = [mainTable(all, 'WebSocket'), mainTable(all, 'SSE'), ownTable(all), goalTable(all), share];
  console.log(`\n${parts.join('\n\n')}`);
}

export function writeReport({
  machine,
  all,
  absent,
}: {
  machine: string;
  all: readonly Figures[];
  absent: readonly string[];
}): void {
  const versions = [
    ...new Set(all.map(({ name, ours, version }) => (ours ? `Rivulet ${version}` : `${name} ${version}`))),
  ];
  const missing = absent.length > 0 ? `Not measured: ${absent.join('; ')}.` : '';
  const markdown = `
![Fan-out to 1,000 subscribers](images/bench-stream.svg)

Thousands of deliveries a second with the server's CPU time for one delivery; latency at 50,000 deliveries a second, and at 20,000, where next to nothing shares a write; memory of one of 5,000 idle connections, after a forced garbage collection where the process has one. Medians of interleaved rounds.

${mainTable(all, 'WebSocket')}

${mainTable(all, 'SSE')}

${goalTable(all)}

${ownTable(all)}

The load generator used at most ${fixed(busiest(all) * 100, 0)} % of its core, so it was not what was measured.

Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}. ${versions.join(', ')}. ${missing}`;
  writeSection('stream', markdown);
  writeImage('bench-stream.svg', plot(all));
}
