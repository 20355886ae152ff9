// The transports that tests run on: both, unless this machine has no binary of uWebSockets.js that loads.
import { loadUws } from '../../src/http/adapters/uws/load.ts';

type Transport = 'uws' | 'node';

export const transports: readonly Transport[] = await loadUws().then(
  (): Transport[] => ['uws', 'node'],
  (error: unknown): Transport[] => {
    console.warn(`tests on uws are left out: ${error instanceof Error ? error.message : error}`);
    return ['node'];
  },
);
