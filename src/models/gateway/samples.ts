// What is remembered of each provider and model: the latest calls, the last error, calls in flight.
import type { Clock } from '../../kernel/clock.ts';
import { type Circuit, closedCircuit } from './circuit.ts';

export interface Sample {
  /** By the steady clock, as all times of an entry are. */
  at: number;
  ok: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
  completionTokens: number;
}

export interface HealthSnapshot {
  state: 'Unknown' | 'Healthy' | 'Degraded' | 'Unhealthy';
  circuit: Circuit['state'];
  circuitOpenUntil: number | null;
  calls: number;
  failures: number;
  /** 0 to 1. */
  errorRate: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  firstTokenP50Ms: number | null;
  tokensPerSecond: number | null;
  inFlight: number;
  lastError: string | null;
  lastSuccessAt: number | null;
  lastCheckedAt: number | null;
}

export type Measure = Omit<Sample, 'at' | 'ok'>;

export interface Entry {
  circuit: Circuit;
  samples: Sample[];
  inFlight: number;
  lastError: string | null;
  lastSuccessAt: number | null;
  /** Last probe. */
  lookedAt: number | null;
}

const maxSamples = 500;
const maxKeys = 5_000;

export type Entries = ReturnType<typeof createEntries>;

/** Entries by key, made when they are first asked for; the oldest go when there are too many. */
export function createEntries(clock: Clock) {
  const entries = new Map<string, Entry>();
  const entry = (key: string): Entry => {
    let found = entries.get(key);
    if (!found) {
      if (entries.size >= maxKeys) entries.delete(entries.keys().next().value as string);
      found = {
        circuit: closedCircuit,
        samples: [],
        inFlight: 0,
        lastError: null,
        lastSuccessAt: null,
        lookedAt: null,
      };
      entries.set(key, found);
    }
    return found;
  };
  return {
    entry,
    known: (key: string): Entry | undefined => entries.get(key),
    succeeded(key: string, measure: Measure): void {
      const sample = { ...measure, at: clock.steady(), ok: true };
      keep(entry(key), sample);
      entry(key).lastSuccessAt = sample.at;
    },
    failed(key: string, measure: Measure, error: string): void {
      keep(entry(key), { ...measure, at: clock.steady(), ok: false });
      entry(key).lastError = error;
    },
  };
}

function keep({ samples }: Entry, sample: Sample): void {
  samples.push(sample);
  if (samples.length > maxSamples) samples.shift();
}

/** Counts and latencies of the calls of a window; its times are those of the wall clock. */
export function summarize(entry: Entry | undefined, clock: Clock, windowMs: number): HealthSnapshot {
  const since = clock.steady() - windowMs;
  const ahead = clock.now() - clock.steady();
  const shown = (at: number | null) => (at === null ? null : at + ahead);
  const samples = (entry?.samples ?? []).filter(({ at }) => at >= since);
  const good = samples.filter(({ ok }) => ok);
  const failures = samples.length - good.length;
  const errorRate = samples.length === 0 ? 0 : failures / samples.length;
  const latencies = sorted(good.map(({ latencyMs }) => latencyMs));
  const firsts = sorted(good.flatMap(({ firstTokenMs }) => (firstTokenMs === null ? [] : [firstTokenMs])));
  const seconds = good.reduce((sum, { latencyMs }) => sum + latencyMs / 1000, 0);
  const tokens = good.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
  const circuit = entry?.circuit ?? closedCircuit;
  return {
    state: stateOf(circuit, samples.length, errorRate),
    circuit: circuit.state,
    circuitOpenUntil: circuit.state === 'Open' ? shown(circuit.openUntil) : null,
    calls: samples.length,
    failures,
    errorRate,
    latencyP50Ms: quantile(latencies, 0.5),
    latencyP95Ms: quantile(latencies, 0.95),
    firstTokenP50Ms: quantile(firsts, 0.5),
    tokensPerSecond: seconds > 0 ? tokens / seconds : null,
    inFlight: entry?.inFlight ?? 0,
    lastError: entry?.lastError ?? null,
    lastSuccessAt: shown(entry?.lastSuccessAt ?? null),
    lastCheckedAt: shown(checkedAt(entry)),
  };
}

/** When a key was last called or probed, by the steady clock; null for never. */
export function checkedAt(entry: Entry | undefined): number | null {
  const at = Math.max(entry?.samples.at(-1)?.at ?? 0, entry?.lookedAt ?? 0);
  return at === 0 ? null : at;
}

function stateOf(circuit: Circuit, calls: number, errorRate: number): HealthSnapshot['state'] {
  if (circuit.state === 'Open' || (calls >= 3 && errorRate >= 0.5)) return 'Unhealthy';
  if (calls === 0) return 'Unknown';
  return circuit.state === 'HalfOpen' || errorRate >= 0.1 ? 'Degraded' : 'Healthy';
}

const sorted = (values: number[]) => values.sort((a, b) => a - b);
const quantile = (values: number[], q: number): number | null =>
  values.length === 0 ? null : (values[Math.min(values.length - 1, Math.floor(values.length * q))] ?? null);
