// The same ten hits, in the same order, wherever vectors are kept.
import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { createEmbeddedVectors } from '../../../src/stores/vectors/embedded/vectors.ts';
import { randomOf } from '../../support/seed.ts';
import { inFolder } from './folder.ts';
import { drafted, identityOf, openWorld, type Stores, type World } from './world.ts';

/** Some words are common, most are rare. */
const textOf = (random: () => number, words: number) =>
  Array.from({ length: words }, () => `word${Math.floor(600 * random() ** 3)}x`).join(' ');

/** Memories of two tenants, and of two identities that share every third one; in each world with the same ids. */
async function fill({ library, settle }: World): Promise<void> {
  const random = randomOf(21);
  for (let at = 0; at < 240; at++) {
    const tenantId = 1 + (at % 2);
    const identityId = identityOf(tenantId, random() < 0.5 ? 1 : 2);
    const more = { isShared: at % 3 === 0 };
    await library.remember({ tenantId }, drafted(identityId, `Note ${at}`, textOf(random, 12), more));
  }
  await settle();
}

export function sameTenSuite(name: string, open: () => Promise<Stores>): void {
  describe(`the ten best hits on ${name}`, () => {
    it('are those of the embedded store', async () => {
      const clock = new SimulatedClock();
      const stores = [inFolder((sqlite) => createEmbeddedVectors({ sqlite })), await open()];
      const worlds = await Promise.all(stores.map((one) => openWorld(one, clock)));
      try {
        await Promise.all(worlds.map(fill));
        const random = randomOf(22);
        for (let at = 0; at < 24; at++) {
          const tenantId = 1 + (at % 2);
          const mode = at % 4 < 2 ? 'Hybrid' : 'Semantic';
          const who = { tenantId, identityId: identityOf(tenantId, 1), shared: true, archived: false };
          const ask = { ...who, mode, question: textOf(random, 5), limit: 10 } as const;
          const [embedded, here] = await Promise.all(worlds.map(({ library }) => library.recall(ask)));
          expect([embedded?.warning, here?.warning]).toEqual([null, null]);
          expect(here?.hits.map(({ memory }) => memory._id)).toEqual(embedded?.hits.map(({ memory }) => memory._id));
          expect(embedded?.hits).toHaveLength(10);
          for (const [index, hit] of (here?.hits ?? []).entries())
            expect(hit.score).toBeCloseTo(embedded?.hits[index]?.score ?? 0, 4);
        }
      } finally {
        for (const one of worlds) await one.close();
        for (const one of stores) await one.close();
      }
    });
  });
}
