// Orama with the same texts and vectors: its index and its texts are in memory, in this process.
import { indexedText } from '../../../src/memory/text.ts';
import { loadOrama } from '../peers/orama.ts';
import { batch, type Contender } from './contender.ts';
import { dimensions, memoryOf, randomText, randomVector } from './made-up.ts';

export async function openPeer(): Promise<Contender> {
  const orama = await loadOrama();
  if ('missing' in orama) throw new Error(`Orama is left out: ${orama.missing}`);
  const index = orama.open(dimensions);
  return {
    hasCaches: false,
    async fill(count) {
      for (let id = 1; id <= count; id += batch) {
        const ids = Array.from({ length: Math.min(batch, count - id + 1) }, (_, more) => id + more);
        const entryOf = (one: number) => ({
          id: String(one),
          text: indexedText(memoryOf(one, 1)),
          vector: randomVector(),
        });
        await index.insert(ids.map(entryOf));
      }
    },
    search: () => index.search(randomText(6), randomVector(), 10),
    close: async () => {},
  };
}
