// How each provider and model is doing: its circuit, calls in flight, and a window of latencies and errors.
import type { Clock } from '../../kernel/clock.ts';
import { admit, type Circuit, type CircuitLimits, closedCircuit, recordFailure, recordNothing } from './circuit.ts';
import { checkedAt, createEntries, type Entries, type HealthSnapshot, type Measure, summarize } from './samples.ts';

/** The window of snapshots, in ms. */
const usualWindowMs = 15 * 60_000;

export type Health = ReturnType<typeof createHealth>;

/**
 * Keeps health in memory, by key: a provider's key, or `provider key/model`. Circuits belong to providers. `onCircuit`
 * is called when a circuit opens or closes. Each process keeps its own health; that is enough to avoid calls to a dead
 * provider.
 */
export function createHealth(clock: Clock, onCircuit: (provider: string) => void = () => {}) {
  const entries = createEntries(clock);
  return { ...circuitsOver(entries, clock, onCircuit), ...callsOver(entries, clock) };
}

/** The circuits of providers, moved by what their calls say of them. */
function circuitsOver(entries: Entries, clock: Clock, onCircuit: (provider: string) => void) {
  const { entry } = entries;
  const set = (provider: string, circuit: Circuit) => {
    const found = entry(provider);
    // A failed probe changes nothing for listeners, nor does a probe in flight.
    const changed = (found.circuit.state === 'Closed') !== (circuit.state === 'Closed');
    found.circuit = circuit;
    if (changed) onCircuit(provider);
  };
  return {
    /** Whether the provider may be called now; an open circuit admits one probe when its time is up. */
    admit(provider: string): boolean {
      const found = entry(provider);
      const admitted = admit(found.circuit, clock.steady());
      if (admitted) found.circuit = admitted;
      return admitted !== null;
    },
    /** Milliseconds until an open circuit admits a probe; null where it is not open. */
    opensIn: (provider: string): number | null => {
      const { circuit } = entry(provider);
      return circuit.state === 'Open' ? circuit.openUntil - clock.steady() : null;
    },
    succeed([provider, model]: [string, string], sample: Measure): void {
      for (const key of [provider, model]) entries.succeeded(key, sample);
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
      for (const key of [provider, model]) entries.failed(key, sample, error);
      const { circuit, inFlight } = entry(provider);
      // Failures are quicker than answers: of many calls at once a few come back first without meaning an outage.
      const circuitFailureThreshold = Math.max(limits.circuitFailureThreshold, Math.ceil(inFlight / 2));
      set(provider, recordFailure(circuit, clock.steady(), { ...limits, circuitFailureThreshold }, by));
    },
    /** The call ended without saying anything about the provider. */
    abandon(provider: string): void {
      const found = entry(provider);
      found.circuit = recordNothing(found.circuit, clock.steady());
    },
    /** A probe is made. */
    looked(provider: string): void {
      entry(provider).lookedAt = clock.steady();
    },
    /** A probe failed; probes are no samples of latency. */
    missing(provider: string, error: string, limits: CircuitLimits): void {
      entry(provider).lastError = error;
      set(provider, recordFailure(entry(provider).circuit, clock.steady(), limits));
    },
    reset(provider: string): void {
      set(provider, closedCircuit);
    },
  };
}

/** What is counted and measured of calls, and how that reads. */
function callsOver(entries: Entries, clock: Clock) {
  const { entry, known } = entries;
  const snapshot = (key: string, windowMs = usualWindowMs): HealthSnapshot => summarize(known(key), clock, windowMs);
  return {
    begin(keys: string[]): void {
      for (const key of keys) entry(key).inFlight++;
    },
    end(keys: string[]): void {
      for (const key of keys) entry(key).inFlight--;
    },
    /** The provider refused the call. Its circuit stays as it is; `keys` name the entries that become unhealthy. */
    reject(keys: string[], sample: Measure, error: string): void {
      for (const key of keys) entries.failed(key, sample, error);
    },
    inFlight: (key: string): number => known(key)?.inFlight ?? 0,
    /** When the provider was last called or looked at, by the steady clock; null for never. */
    lookedAt: (provider: string): number | null => checkedAt(known(provider)),
    snapshot,
    /** Health of a model: its own calls, and unavailable while its provider's circuit is open. */
    modelSnapshot([provider, model]: [string, string], windowMs?: number): HealthSnapshot {
      const own = snapshot(model, windowMs);
      const { circuit = closedCircuit } = known(provider) ?? {};
      return circuit.state === 'Open' ? { ...own, state: 'Unhealthy' } : own;
    },
  };
}
