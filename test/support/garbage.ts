// Garbage is collected now, where a test is about what lives on or what is held.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectOnce = runInNewContext('gc') as () => void;

/** Collects what nothing holds, and what its finalizers let go of. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collectOnce();
    await turn();
  }
}
