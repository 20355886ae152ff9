// Links whose memories are gone, as a process leaves them that dies while it links one that is forgotten.
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { createEmbeddedVectors } from '../../../src/stores/vectors/embedded/vectors.ts';
import { inFolder } from './folder.ts';
import { drafted, identityOf, openWorld } from './world.ts';

it('a link whose memory is gone leaves with the next repair, whatever else is left of it', async () => {
  const stores = inFolder((sqlite) => createEmbeddedVectors({ sqlite }));
  const world = await openWorld(stores, new SimulatedClock());
  try {
    const by = { tenantId: 1 };
    const ids: number[] = [];
    for (const word of ['harbour', 'seven', 'ferry', 'Lindau'])
      ids.push((await world.library.remember(by, drafted(identityOf(1, 1), 'Note', word))).memory._id);
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    await world.settle();
    await world.library.forget(by, [third, fourth]);
    const link = { type: 'Causal' as const, strength: 0.5, coActivationCount: 0, ofIdentityId: null };
    await world.links.insert(by, { ...link, fromMemoryId: first, toMemoryId: third });
    await world.links.insert(by, { ...link, fromMemoryId: fourth, toMemoryId: second });
    await world.repair();
    const left = await world.links.of(1).find({}).toArray();
    expect(left.map((one) => [one.fromMemoryId, one.toMemoryId])).toEqual([[first, second]]);
  } finally {
    await world.close();
    await stores.close();
  }
});
