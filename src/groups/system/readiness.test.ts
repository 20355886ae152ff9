import { expect, it } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { type HealthCheck, readReadiness } from './readiness.ts';

const read = (...checks: HealthCheck[]) =>
  readReadiness({ checks, clock: new SimulatedClock(), shuttingDown: () => false, inMaintenance: () => false });

const store: HealthCheck = { name: 'store', required: true, check: async () => null };

it('is degraded where a part says so of itself, and works', async () => {
  const disk: HealthCheck = {
    name: 'disk',
    required: false,
    check: async () => ({ state: 'Degraded', detail: '500 MB are free.' }),
  };
  expect(await read(store, disk)).toMatchObject({
    ready: true,
    status: 'Degraded',
    checks: [{ state: 'Healthy' }, { state: 'Degraded', detail: '500 MB are free.', latencyMs: expect.any(Number) }],
  });
});

it('is not ready without a part that is required, and only degraded without another', async () => {
  const gone = async () => Promise.reject(new Error('gone'));
  expect(await read({ ...store, check: gone })).toMatchObject({ ready: false, status: 'Unhealthy' });
  const optional = { ...store, required: false, check: gone };
  expect(await read(store, optional)).toMatchObject({
    ready: true,
    status: 'Degraded',
    checks: [{ detail: null }, { state: 'Unhealthy', detail: 'gone' }],
  });
});
