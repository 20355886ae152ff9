// Memories that are encrypted against the same memories that are not: every search answers alike.
import '../../support/properties.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { drafted, identityOf, openWorld, type Stores, text, type World } from './world.ts';

/** What two tenants do alike, of which one encrypts. */
const wish = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('remember' as const),
      number: fc.constantFrom(1, 2),
      text,
      shared: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), which: fc.nat(), text }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('encrypt' as const), number: fc.constantFrom(1, 2), on: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ask' as const), number: fc.constantFrom(1, 2), text }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer One> ? One : never;

/** Tenant 1 encrypts nothing, tenant 2 what is asked for, one identity from the start. */
async function answerAlike(world: World, wishes: readonly Wish[]): Promise<void> {
  const { library, memories, settle } = world;
  await world.encrypt(identityOf(2, 1), true);
  const written: [number[], number[]] = [[], []];
  const last = { do: 'ask', number: 1, text: 'ferry harbour 上海' } as const;
  for (const one of [...wishes, { do: 'settle' } as const, last]) {
    if (one.do === 'settle') await settle();
    if (one.do === 'encrypt') await world.encrypt(identityOf(2, one.number), one.on);
    const answers: unknown[] = [];
    for (const [at, tenantId] of [1, 2].entries()) {
      const ids = written[at] as number[];
      if (one.do === 'remember') {
        const draft = drafted(identityOf(tenantId, one.number), 'Note', one.text, { isShared: one.shared });
        const { memory, how } = await library.remember({ tenantId }, draft);
        answers.push(how);
        if (how !== 'known') ids.push(memory._id);
      }
      if (one.do === 'edit' && ids.length > 0) {
        const old = await memories.get({ tenantId }, ids[one.which % ids.length] as number);
        await library.change({ tenantId }, old, { content: one.text });
      }
      if (one.do === 'ask') {
        const ask = { tenantId, identityId: identityOf(tenantId, one.number), question: one.text, limit: 10 };
        const { hits, candidates } = await library.recall({ ...ask, shared: true, archived: false });
        const shown = hits.map(({ memory, viaMemoryId, ...hit }) => [
          ids.indexOf(memory._id),
          ids.indexOf(viaMemoryId ?? -1),
          memory.content,
          hit,
        ]);
        answers.push({ shown, candidates });
      }
    }
    expect([one, answers[1]]).toEqual([one, answers[0]]);
    // What follows a write is done before the next one, whose order would else decide what supersedes what.
    if (one.do === 'remember') await settle();
  }
}

export function sealedSuite(name: string, open: () => Promise<Stores>, runs = 25): void {
  describe(`encrypted memories on ${name}`, () => {
    it('are found alike, encrypted or not, and whenever that changes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(wish, { minLength: 4, maxLength: 20 }), async (wishes) => {
          const stores = await open();
          const world = await openWorld(stores, new SimulatedClock());
          try {
            await answerAlike(world, wishes);
          } finally {
            await world.close();
            await stores.close();
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
