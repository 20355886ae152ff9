// Measures memory: what recall finds of LoCoMo (--data FOLDER) and of twenty paraphrases, and how quick it is.
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/kernel/clock.ts';
import { createBundledEmbedder } from '../../src/models/embedders/bundled.ts';
import { paraphrases } from './paraphrases.ts';
import { measureHeldOut, measureQuality } from './quality.ts';
import { memoryOf, openShelf } from './shelf.ts';
import { measureSpeed } from './speed.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const embedder = createBundledEmbedder({ clock: systemClock });
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
  console.log(
    `Paraphrases without shared words: R@1 ${(first / paraphrases.length).toFixed(2)} of ${paraphrases.length}`,
  );

  if (values.data) {
    await measureQuality(values.data, embedder);
    await measureHeldOut(values.data, embedder);
  } else console.log('LoCoMo is not measured: name the folder of its dialogues.json with --data FOLDER.');
  await measureSpeed();
} finally {
  await embedder.close();
}
