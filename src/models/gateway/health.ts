// How each provider and model is doing: its circuit, calls in flight, and a window of latencies and errors.
import type { Clock } from '../../kernel/clock.ts';
import { admit, type Circuit, type CircuitLimits, closedCircuit, recordFailure, recordNothing } from './circuit.ts';

export interface Sample {
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

type Measure = Omit<Sample, 'at' | 'ok'>;

interface Entry {
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

export type Health = ReturnType<typeof createHealth>;

/**
 * Keeps health in memory, by key: a provider's key, or `provider key/model`. Circuits belong to providers.
 * `onCircuit` is told when one opens or closes. Every process learns for itself; that is enough to keep a dead provider from being called.
 */
export function createHealth(clock: Clock, onCircuit: (provider: string) => void = () => {}) {
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
  const set = (provider: string, circuit: Circuit) => {
    const found = entry(provider);
    // A probe that failed is no news; that it is being made is not either.
    const changed = (found.circuit.state === 'Closed') !== (circuit.state === 'Closed');
    found.circuit = circuit;
    if (changed) onCircuit(provider);
  };
  const record = (key: string, sample: Sample) => {
    const { samples } = entry(key);
    samples.push(sample);
    if (samples.length > maxSamples) samples.shift();
    if (sample.ok) entry(key).lastSuccessAt = sample.at;
  };

  return {
    /** Whether the provider may be called now; an open circuit admits one probe when its time is up. */
    admit(provider: string): boolean {
      const found = entry(provider);
      const admitted = admit(found.circuit, clock.now());
      if (admitted) found.circuit = admitted;
      return admitted !== null;
    },
    /** When an open circuit admits a probe, in ms since 1970. */
    openUntil: (provider: string): number | null => {
      const { circuit } = entry(provider);
      return circuit.state === 'Open' ? circuit.openUntil : null;
    },
    begin(keys: string[]): void {
      for (const key of keys) entry(key).inFlight++;
    },
    end(keys: string[]): void {
      for (const key of keys) entry(key).inFlight--;
    },
    succeed([provider, model]: [string, string], sample: Measure): void {
      for (const key of [provider, model]) record(key, { ...sample, at: clock.now(), ok: true });
      set(provider, closedCircuit);
    },
    /** A failure that speaks against the provider, seen by a run or a chat. */
    fail(
      [provider, model]: [string, string],
      sample: Measure,
      error: string,
      limits: CircuitLimits,
      by: string | null,
    ): void {
      for (const key of [provider, model]) {
        record(key, { ...sample, at: clock.now(), ok: false });
        entry(key).lastError = error;
      }
      const { circuit, inFlight } = entry(provider);
      // Failures are quicker than answers: of many calls at once a few come back first without meaning an outage.
      const circuitFailureThreshold = Math.max(limits.circuitFailureThreshold, Math.ceil(inFlight / 2));
      set(provider, recordFailure(circuit, clock.now(), { ...limits, circuitFailureThreshold }, by));
    },
    /** The provider answered that this call cannot be made; its circuit stays as it is, `keys` say what is unwell. */
    reject(keys: string[], sample: Measure, error: string): void {
      for (const key of keys) {
        record(key, { ...sample, at: clock.now(), ok: false });
        entry(key).lastError = error;
      }
    },
    /** The call ended without saying anything about the provider. */
    abandon(provider: string): void {
      const found = entry(provider);
      found.circuit = recordNothing(found.circuit, clock.now());
    },
    /** A probe is made. */
    looked(provider: string): void {
      entry(provider).lookedAt = clock.now();
    },
    /** A probe found nobody; it is no sample of how calls do. */
    missing(provider: string, error: string, limits: CircuitLimits): void {
      entry(provider).lastError = error;
      set(provider, recordFailure(entry(provider).circuit, clock.now(), limits));
    },
    /** When the provider was last called or looked at; null for never. */
    lookedAt: (provider: string): number | null => checkedAt(entries.get(provider)),
    reset(provider: string): void {
      set(provider, closedCircuit);
    },
    inFlight: (key: string): number => entries.get(key)?.inFlight ?? 0,
    snapshot(key: string, windowMs = 15 * 60_000): HealthSnapshot {
      return summarize(entries.get(key), clock.now() - windowMs);
    },
    /** Of a model: its own calls, and that nobody reaches it while its provider is left alone. */
    modelSnapshot([provider, model]: [string, string], windowMs = 15 * 60_000): HealthSnapshot {
      const own = summarize(entries.get(model), clock.now() - windowMs);
      const { circuit = closedCircuit } = entries.get(provider) ?? {};
      return circuit.state === 'Open' ? { ...own, state: 'Unhealthy' } : own;
    },
  };
}

function summarize(entry: Entry | undefined, since: number): HealthSnapshot {
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
    circuitOpenUntil: circuit.state === 'Open' ? circuit.openUntil : null,
    calls: samples.length,
    failures,
    errorRate,
    latencyP50Ms: quantile(latencies, 0.5),
    latencyP95Ms: quantile(latencies, 0.95),
    firstTokenP50Ms: quantile(firsts, 0.5),
    tokensPerSecond: seconds > 0 ? tokens / seconds : null,
    inFlight: entry?.inFlight ?? 0,
    lastError: entry?.lastError ?? null,
    lastSuccessAt: entry?.lastSuccessAt ?? null,
    lastCheckedAt: checkedAt(entry),
  };
}

function checkedAt(entry: Entry | undefined): number | null {
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
