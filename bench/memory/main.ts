// Measures memory: what recall finds of LoCoMo (--data FOLDER) and of twenty paraphrases, and how quick it is
// (`--speed embedded`, `cold`, `qdrant` or `peer` measures the speed of that alone).
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/kernel/clock.ts';
import { createBundledEmbedder } from '../../src/models/embedders/bundled.ts';
import { withCache } from '../../src/models/embedders/cached.ts';
import { paraphrases } from './paraphrases.ts';
import { measureHeldOut, measurePeer, measureQuality } from './quality.ts';
import { measureSame } from './same.ts';
import { memoryOf, openShelf } from './shelf.ts';
import { measureSpeed } from './speed.ts';

const option = { type: 'string' } as const;
const { values } = parseArgs({ options: { data: option, speed: option } });

async function measureFinding(data: string | undefined): Promise<void> {
  const embedder = withCache(createBundledEmbedder({ clock: systemClock }));
  try {
    const shelf = openShelf(embedder);
    const at = new Date();
    await shelf.add(
      paraphrases.map(([text], index) => memoryOf(index + 1, 1, 'note', text, at)),
      ({ content }) => content,
    );
    let first = 0;
    for (const [index, [, question]] of paraphrases.entries())
      if ((await shelf.search(1, question, 1)).hits[0]?.memory._id === index + 1) first++;
    await shelf.close();
    const share = (first / paraphrases.length).toFixed(2);
    console.log(`Paraphrases without shared words: R@1 ${share} of ${paraphrases.length}`);
    if (!data) return console.log('LoCoMo is not measured: name the folder of its dialogues.json with --data FOLDER.');
    await measureQuality(data, embedder);
    await measurePeer(data, embedder);
    await measureHeldOut(data, embedder);
    await measureSame(data, embedder);
  } finally {
    await embedder.close();
  }
}

if (values.speed === undefined) await measureFinding(values.data);
await measureSpeed(values.speed);
