import fc from 'fast-check';
import { expect, it } from 'vitest';
import { admit, type Circuit, closedCircuit, recordFailure, recordNothing } from './circuit.ts';

const limits = { circuitFailureThreshold: 3, circuitOpenMs: 1_000 };

it('opens at the threshold and admits one probe when its time is up', () => {
  let circuit = closedCircuit;
  for (let failure = 1; failure <= 3; failure++) {
    expect(admit(circuit, 0)).toBe(circuit);
    circuit = recordFailure(circuit, 0, limits);
  }
  expect(circuit.state).toBe('Open');
  expect(admit(circuit, 999)).toBeNull();
  const probing = admit(circuit, 1_000);
  expect(probing?.state).toBe('HalfOpen');
  expect(admit(probing as Circuit, 1_000)).toBeNull();
  expect(recordFailure(probing as Circuit, 1_000, limits)).toMatchObject({ state: 'Open', openUntil: 2_000 });
  expect(admit(recordNothing(probing as Circuit, 1_000), 1_000)?.state).toBe('HalfOpen');
});

it('never admits two probes at once, and never stays shut for ever', () => {
  const step = fc.record({ what: fc.constantFrom('fail', 'succeed', 'leave'), after: fc.nat(2_000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      let circuit = closedCircuit;
      let now = 0;
      for (const { what, after } of steps) {
        now += after;
        const admitted = admit(circuit, now);
        if (!admitted) {
          expect(circuit.openUntil).toBeGreaterThan(now);
          continue;
        }
        circuit = admitted;
        if (circuit.state === 'HalfOpen') expect(admit(circuit, now + 10_000)).toBeNull();
        if (what === 'fail') circuit = recordFailure(circuit, now, limits);
        else if (what === 'succeed') circuit = closedCircuit;
        else circuit = recordNothing(circuit, now);
      }
      expect(admit(circuit, now + 1_000)).not.toBeNull();
    }),
  );
});
