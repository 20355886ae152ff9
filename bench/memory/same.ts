// Whether the ten best hits of LoCoMo's questions are the same with vectors in the embedded store and on Qdrant's engine.
import type { Embedder } from '../../src/ports/embedder.ts';
import { createQdrantVectors } from '../../src/stores/vectors/qdrant/vectors.ts';
import { engineKind } from '../../test/support/qdrant/server.ts';
import { readLocomo } from './locomo.ts';
import { fill } from './quality.ts';

export async function measureSame(folder: string, embedder: Embedder): Promise<void> {
  const dialogues = readLocomo(folder) ?? [];
  const server = await engineKind()
    .then((kind) => kind.start())
    .catch((error: Error) => console.log(`The same ten hits are not looked for: ${error.message}`));
  if (!server) return;
  let [same, sameSet, questions] = [0, 0, 0];
  try {
    for (const [at, dialogue] of dialogues.entries()) {
      const vectors = createQdrantVectors({ url: server.url, apiKey: null, prefix: `rivulet-bench-${at}` });
      const shelves = [await fill(dialogue, embedder), await fill(dialogue, embedder, { vectors })];
      for (const { text } of dialogue.questions) {
        const found = await Promise.all(shelves.map((shelf) => shelf.search(1, text, 10)));
        const [embedded = [], here = []] = found.map(({ hits }) => hits.map(({ memory }) => memory._id));
        questions++;
        if (embedded.join() === here.join()) same++;
        if (embedded.toSorted().join() === here.toSorted().join()) sameSet++;
      }
      for (const shelf of shelves) await shelf.close();
    }
  } finally {
    await server.stop();
  }
  const told = `${same} of ${questions} in the same order, ${sameSet} the same ten`;
  console.log(`The ten best hits of the embedded store and of Qdrant's engine: ${told}.`);
}
