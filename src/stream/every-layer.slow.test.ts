// The promise of the stream layer with real clients: connections are cut and held, the store hesitates, the process dies.
import { expect, onTestFinished, test } from 'vitest';
import { adapters } from './testing/adapters.ts';
import { runThroughTrouble } from './testing/every-layer.ts';
import { openMemoryWorld } from './testing/memory-world.ts';

test.each(adapters)(
  'every client of $name has each event once and in order, or is told of a gap',
  async ({ adapter }) => {
    const world = await openMemoryWorld(adapter, 7);
    onTestFinished(world.close);
    const { gaps } = await runThroughTrouble(world, { seed: 7, events: 1000, readers: 40 });
    // Deltas went with the processes that died, and readers were told so.
    expect(gaps).toBeGreaterThan(0);
  },
  300_000,
);
