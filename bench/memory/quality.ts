// What recall finds of the evidence of LoCoMo's questions, step by step.
import type { Remembered } from '../../src/memory/ports.ts';
import { indexedText } from '../../src/memory/text.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import type { Vectors } from '../../src/ports/vectors.ts';
import { type Dialogue, readLocomo } from './locomo.ts';
import { loadOrama, type OramaMode } from './peers/orama.ts';
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

/** Ways of the peer; the last one with the weights of our embedder. */
const peerWays: readonly { way: string; ask: OramaMode }[] = [
  { way: 'words', ask: { mode: 'fulltext' } },
  { way: 'meaning', ask: { mode: 'vector' } },
  { way: 'hybrid', ask: { mode: 'hybrid' } },
  { way: 'hybrid, words .7', ask: { mode: 'hybrid', weights: { text: 0.7, vector: 0.3 } } },
];

/** What is tuned: weight of the meaning, share and steps of what is lent. */
const settings = [0.2, 0.3, 0.4].flatMap((semantic) =>
  [0.4, 0.5, 0.6].flatMap((share) =>
    [1, 2].map((depth) => ({ weights: { semantic, keyword: 1 - semantic }, share, depth })),
  ),
);

/**
 * Cross-validation: of each dialogue what is found with the settings that are best on the others, which it had no say
 * in.
 */
export async function measureHeldOut(folder: string, embedder: Embedder): Promise<void> {
  const dialogues = readLocomo(folder) ?? [];
  const sums: number[][][] = [];
  for (const dialogue of dialogues) {
    const shelf = await fill(dialogue, embedder);
    const own = settings.map(() => [0, 0, 0, 0]);
    for (const [at, ask] of settings.entries())
      for (const { text, evidence } of dialogue.questions)
        add(own[at] as number[], await scoreOf(shelf, dialogue, text, new Set(evidence), ask));
    sums.push(own);
    await shelf.close();
  }
  const total = [0, 0, 0, 0];
  const rows = dialogues.map(({ name, questions }, held) => {
    const elsewhere = settings.map((_, at) =>
      sums.reduce((sum, one, index) => sum + (index === held ? 0 : (one[at]?.[1] ?? 0) + (one[at]?.[2] ?? 0)), 0),
    );
    const chosen = elsewhere.indexOf(Math.max(...elsewhere));
    const found = sums[held]?.[chosen] ?? [];
    add(total, found);
    const { weights, share, depth } = settings[chosen] as (typeof settings)[number];
    return { 'held out': name, semantic: weights.semantic, share, depth, ...toRow(found, questions.length) };
  });
  const all = dialogues.reduce((sum, { questions }) => sum + questions.length, 0);
  console.table([...rows, { 'held out': 'all, each in turn', ...toRow(total, all) }]);
}

const toRow = (sums: readonly number[], questions: number) =>
  Object.fromEntries(
    ['R@5', 'R@10', 'R@20', 'nDCG@10'].map((name, at) => [name, ((sums[at] ?? 0) / questions).toFixed(3)]),
  );

export async function measureQuality(folder: string, embedder: Embedder): Promise<void> {
  const dialogues = readLocomo(folder);
  if (!dialogues) return console.log(`LoCoMo is not measured: there is no dialogues.json in ${folder}.`);
  const sums = ways.map(() => [0, 0, 0, 0] as [number, number, number, number]);
  let questions = 0;
  for (const dialogue of dialogues) {
    for (const textOf of [bare, indexedText]) {
      const shelf = await fill(dialogue, embedder, { textOf });
      for (const [at, one] of ways.entries())
        if (one.textOf === textOf)
          for (const { text, evidence } of dialogue.questions)
            add(sums[at] as number[], await scoreOf(shelf, dialogue, text, new Set(evidence), one.ask));
      await shelf.close();
    }
    questions += dialogue.questions.length;
    console.log(`${dialogue.name}: ${dialogue.turns.length} turns, ${dialogue.questions.length} questions`);
  }
  console.table(ways.map(({ way }, at) => ({ way, ...toRow(sums[at] ?? [], questions) })));
}

/** What a peer finds of the same evidence, with the same texts and the same vectors. */
export async function measurePeer(folder: string, embedder: Embedder): Promise<void> {
  const dialogues = readLocomo(folder) ?? [];
  const orama = await loadOrama();
  if ('missing' in orama) return console.log(`Orama is left out: ${orama.missing}`);
  const sums = peerWays.map(() => [0, 0, 0, 0]);
  for (const { turns, questions } of dialogues) {
    const texts = memoriesOf(turns).map(indexedText);
    const vectors = await embedder.embed(1, texts, 'document');
    const index = orama.open(vectors[0]?.length ?? 0);
    await index.insert(texts.map((text, at) => ({ id: String(at), text, vector: vectors[at] as Float32Array })));
    for (const { text, evidence } of questions) {
      const [vector] = await embedder.embed(1, [text], 'question');
      for (const [at, { ask }] of peerWays.entries()) {
        const ids = await index.search(text, vector as Float32Array, 20, ask);
        const found = ids.map((id) => turns[Number(id)]?.id ?? '');
        add(sums[at] as number[], scores(found, new Set(evidence)));
      }
    }
  }
  const questions = dialogues.reduce((sum, one) => sum + one.questions.length, 0);
  console.table(peerWays.map(({ way }, at) => ({ way: `${orama.name}, ${way}`, ...toRow(sums[at] ?? [], questions) })));
}

const memoriesOf = (turns: Dialogue['turns']) =>
  turns.map(({ speaker, text, at }, index) => memoryOf(index + 1, 1, speaker, text, at));

interface Filling {
  textOf?: (memory: Remembered) => string;
  /** Where vectors are kept, if not in the embedded store. */
  vectors?: Vectors;
}

/** A shelf with the turns of a dialogue, each linked to the next one of its session. */
export async function fill(
  { turns }: Dialogue,
  embedder: Embedder,
  { textOf = indexedText, vectors }: Filling = {},
): Promise<Shelf> {
  const shelf = openShelf(embedder, vectors);
  await shelf.add(memoriesOf(turns), textOf);
  for (const [index, { session }] of turns.entries())
    if (turns[index + 1]?.session === session) shelf.link(index + 1, index + 2);
  return shelf;
}

async function scoreOf(shelf: Shelf, { turns }: Dialogue, question: string, evidence: Set<string>, ask: object) {
  const { hits } = await shelf.search(1, question, 20, ask);
  return scores(
    hits.map(({ memory }) => turns[memory._id - 1]?.id ?? ''),
    evidence,
  );
}

/** R@5, R@10, R@20 and nDCG@10 of what was found, best first. */
function scores(ids: readonly string[], evidence: ReadonlySet<string>): number[] {
  const found = ids.map((id) => evidence.has(id));
  const recall = (most: number) => found.slice(0, most).filter(Boolean).length / evidence.size;
  const gain = (is: boolean, at: number) => (is ? 1 / Math.log2(at + 2) : 0);
  const best = [...evidence].slice(0, 10).reduce((sum, _, at) => sum + gain(true, at), 0);
  const reached = found.slice(0, 10).reduce((sum, is, at) => sum + gain(is, at), 0);
  return [recall(5), recall(10), recall(20), reached / best];
}

function add(sums: number[], values: readonly number[]): void {
  for (const [at, value] of values.entries()) sums[at] = (sums[at] ?? 0) + value;
}
