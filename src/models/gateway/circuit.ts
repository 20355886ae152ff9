// The circuit breaker of a provider as pure steps: closed, open after failures in a row, half-open for one probe.

export interface Circuit {
  state: 'Closed' | 'HalfOpen' | 'Open';
  /** Failures in a row, as far as they count. */
  failures: number;
  /** How many of them each run or chat has seen. */
  seenBy?: Readonly<Record<string, number>>;
  /** When an open circuit admits a probe, by the steady clock. */
  openUntil: number;
}

export const closedCircuit: Circuit = { state: 'Closed', failures: 0, openUntil: 0 };

export interface CircuitLimits {
  circuitFailureThreshold: number;
  circuitOpenMs: number;
}

/**
 * The circuit after asking to call at `now`: null when the call is refused. An open circuit whose time is up becomes
 * half-open.
 */
export function admit(circuit: Circuit, now: number): Circuit | null {
  switch (circuit.state) {
    case 'Closed':
      return circuit;
    case 'Open':
      return now >= circuit.openUntil ? { ...circuit, state: 'HalfOpen' } : null;
    case 'HalfOpen':
      return null;
  }
}

/**
 * The circuit after a failure that counts against the provider. Of one run or chat (`by`) at most half of the threshold
 * counts: what it asks may be what breaks the answers, and others must not suffer for that.
 */
export function recordFailure(circuit: Circuit, now: number, limits: CircuitLimits, by: string | null = null): Circuit {
  const seen = by === null ? 0 : (circuit.seenBy?.[by] ?? 0);
  if (circuit.state === 'Closed' && by !== null && seen >= Math.ceil(limits.circuitFailureThreshold / 2))
    return circuit;
  const seenBy = by === null ? circuit.seenBy : { ...circuit.seenBy, [by]: seen + 1 };
  const failures = circuit.failures + 1;
  const opens = circuit.state !== 'Closed' || failures >= limits.circuitFailureThreshold;
  return opens
    ? { state: 'Open', failures, openUntil: now + limits.circuitOpenMs }
    : { state: 'Closed', failures, openUntil: 0, ...(seenBy && { seenBy }) };
}

/** The circuit after a probe that says nothing about the provider, e.g. an aborted one: the next call probes. */
export function recordNothing(circuit: Circuit, now: number): Circuit {
  return circuit.state === 'HalfOpen' ? { ...circuit, state: 'Open', openUntil: now } : circuit;
}
