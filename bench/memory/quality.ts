// What recall finds of the evidence of LoCoMo's questions, step by step.
import type { Remembered } from '../../src/memory/ports.ts';
import { indexedText } from '../../src/memory/text.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import { type Dialogue, readLocomo } from './locomo.ts';
import { memoryOf, openShelf, type Shelf } from './shelf.ts';

const bare = ({ content }: Remembered) => content;
const ways = [
  { way: 'words', textOf: bare, ask: { mode: 'Keyword', depth: 0 } },
  { way: 'words, header', textOf: indexedText, ask: { mode: 'Keyword', depth: 0 } },
  { way: 'meaning, header', textOf: indexedText, ask: { mode: 'Semantic', depth: 0 } },
  { way: 'fused', textOf: bare, ask: { depth: 0 } },
  { way: 'fused, header', textOf: indexedText, ask: { depth: 0 } },
  { way: 'fused, header, neighbours', textOf: indexedText, ask: {} },
] as const;

export async function measureQuality(folder: string, embedder: Embedder): Promise<void> {
  const dialogues = readLocomo(folder);
  if (!dialogues) return console.log(`LoCoMo is not measured: there is no dialogues.json in ${folder}.`);
  const sums = ways.map(() => [0, 0, 0, 0] as [number, number, number, number]);
  let questions = 0;
  for (const dialogue of dialogues) {
    for (const textOf of [bare, indexedText]) {
      const shelf = await fill(dialogue, embedder, textOf);
      for (const [at, one] of ways.entries())
        if (one.textOf === textOf)
          for (const { text, evidence } of dialogue.questions)
            add(sums[at] as number[], await scoreOf(shelf, dialogue, text, new Set(evidence), one.ask));
      await shelf.close();
    }
    questions += dialogue.questions.length;
    console.log(`${dialogue.name}: ${dialogue.turns.length} turns, ${dialogue.questions.length} questions`);
  }
  const mean = (sum: number) => (sum / questions).toFixed(3);
  console.table(
    ways.map(({ way }, at) => {
      const [r5, r10, r20, gain] = sums[at] as [number, number, number, number];
      return { way, 'R@5': mean(r5), 'R@10': mean(r10), 'R@20': mean(r20), 'nDCG@10': mean(gain) };
    }),
  );
}

async function fill({ turns }: Dialogue, embedder: Embedder, textOf: (memory: Remembered) => string): Promise<Shelf> {
  const shelf = openShelf(embedder);
  await shelf.add(
    turns.map(({ speaker, text, at }, index) => memoryOf(index + 1, 1, speaker, text, at)),
    textOf,
  );
  for (const [index, { session }] of turns.entries())
    if (turns[index + 1]?.session === session) shelf.link(index + 1, index + 2);
  return shelf;
}

async function scoreOf(shelf: Shelf, { turns }: Dialogue, question: string, evidence: Set<string>, ask: object) {
  const { hits } = await shelf.search(1, question, 20, ask);
  const found = hits.map(({ memory }) => evidence.has(turns[memory._id - 1]?.id ?? ''));
  const recall = (most: number) => found.slice(0, most).filter(Boolean).length / evidence.size;
  const gain = (is: boolean, at: number) => (is ? 1 / Math.log2(at + 2) : 0);
  const best = [...evidence].slice(0, 10).reduce((sum, _, at) => sum + gain(true, at), 0);
  const reached = found.slice(0, 10).reduce((sum, is, at) => sum + gain(is, at), 0);
  return [recall(5), recall(10), recall(20), reached / best];
}

function add(sums: number[], values: readonly number[]): void {
  for (const [at, value] of values.entries()) sums[at] = (sums[at] ?? 0) + value;
}
