// Recall: finds memories by words and meaning, fused, plus linked ones, ordered by further factors.
import type { Clock } from '../../kernel/clock.ts';
import { charactersPerToken, factors, lending, proposals } from '../constants.ts';
import { type Documents, type Indexes, memoryKind, type Ranked, type Remembered } from '../ports.ts';
import { isReadable, readableScopes } from '../scopes.ts';
import { createExpansion } from './expansion.ts';
import { type FactorWeights, factorOf, factorsOf, type NamedFactor } from './factors.ts';
import { type Fused, fuse, type Leg } from './fuse.ts';
import { createMeaning, lost, type Meant, nothing } from './meaning.ts';
import type { Lent } from './neighbours.ts';
import { snippetOf } from './snippet.ts';
import { isWithin, type Window, windowOf } from './window.ts';
import { wordsOf } from './words.ts';

export interface RecallRequest {
  tenantId: number;
  /** Identity whose memories are searched. */
  identityId: number;
  question: string;
  /** The question's vector by the present model, where it is known: then nothing is embedded. */
  vector?: Float32Array | undefined;
  limit: number;
  /** Limit of the hits' content in tokens. */
  tokenBudget?: number | undefined;
  mode?: 'Hybrid' | 'Semantic' | 'Keyword' | undefined;
  /** Weights of the legs; default: the embedder's. */
  weights?: { semantic: number; keyword: number } | undefined;
  factors?: FactorWeights | undefined;
  /** Least match, 0 to 1. */
  minScore?: number | undefined;
  /** Number of steps along links. */
  depth?: number | undefined;
  /** Share of a hit's score that each step lends. */
  share?: number | undefined;
  shared: boolean;
  archived: boolean;
  /** Filters on the memory: type, project and the like. */
  filter?: ((memory: Ranked) => boolean) | undefined;
  tag?: string | undefined;
}

export type MatchedBy = 'Semantic' | 'Keyword' | 'Hybrid' | 'Link' | 'Exact';

export interface Hit<Doc extends Remembered> {
  memory: Doc;
  score: number;
  semanticScore: number | null;
  keywordScore: number | null;
  matchedBy: MatchedBy;
  snippet: string;
  /** Memory that led to this one by a link. */
  viaMemoryId: number | null;
  /** Score that a link or a neighbour added to the match. */
  lentScore: number | null;
  /** Factor of the match, in parts. */
  factors: HitFactor[];
}

export interface HitFactor {
  name: NamedFactor['name'] | 'Time' | 'Superseded';
  /** Factor for this question; 1 is neutral. */
  value: number;
}

export interface Recalled<Doc extends Remembered> {
  hits: Hit<Doc>[];
  /** Number of memories that matched before the limit. */
  candidates: number;
  /** Reason why meaning was not searched, or only in part. */
  warning: string | null;
}

interface Deps<Doc extends Remembered> extends Indexes {
  documents: Documents<Doc>;
  clock: Pick<Clock, 'now' | 'steady'>;
}

/** Recall calls no language model and writes nothing. */
export function createRecall<Doc extends Remembered>(deps: Deps<Doc>) {
  const { documents, clock, embedder, words } = deps;
  const byMeaning = createMeaning(deps, memoryKind);
  const expand = createExpansion(documents);

  /** Candidates of the legs that the documents allow; more are requested while filters leave too few. */
  async function gather(ask: RecallRequest, wanted: readonly string[]) {
    const scopes = readableScopes(ask.identityId, ask);
    const allowed = (memory: Ranked) => isReadable(memory, ask.identityId, ask) && (ask.filter?.(memory) ?? true);
    const { tag } = ask;
    const tagged: Documents['ranked'] = async (tenantId, ids) =>
      (await documents.load(tenantId, ids)).filter(({ tags }) => tags.includes(tag as string));
    const read = tag === undefined ? documents.ranked : tagged;
    const weights = weightsOf(ask, embedder);
    for (let limit: number = Math.max(proposals.first, ask.limit * 2); ; limit *= proposals.growth) {
      const search = { tenantId: ask.tenantId, scopes, words: wanted, limit };
      const [keyword, meaning] = await Promise.all([
        ask.mode === 'Semantic' ? [] : words.search(memoryKind, search),
        ask.mode === 'Keyword' ? nothing : byMeaning({ ...search, question: ask.question, known: ask.vector }),
      ]);
      const ids = [...new Set([...keyword, ...meaning.leg].map(({ id }) => id))];
      const found = new Map((await read(ask.tenantId, ids)).filter(allowed).map((one) => [one._id, one]));
      const there = ({ id }: Leg) => found.has(id);
      const isAll = keyword.length < limit && meaning.leg.length < limit;
      if (isAll || found.size >= ask.limit * 2 || limit >= proposals.most)
        return {
          found,
          allowed,
          read,
          fused: fuse(meaning.leg.filter(there), keyword.filter(there), weights),
          warning: meaning.warning ?? lostOf(meaning, found.values()),
        };
    }
  }

  return async function recall(ask: RecallRequest): Promise<Recalled<Doc>> {
    const [wanted, now] = [wordsOf(ask.question), clock.now()];
    void documents.expect?.(ask);
    const [gathered, window] = await Promise.all([gather(ask, wanted), windowOf(ask.question, now)]);
    const { found, fused, warning, allowed } = gathered;
    const { tenantId, identityId, depth = lending.depth, share } = ask;
    const lent = await expand({ ...gathered, tenantId, identityId, depth, share });
    const ranked: Scored[] = [];
    for (const memory of found.values()) {
      const match = fused.get(memory._id);
      const loan = lent.get(memory._id);
      const matched = (match?.score ?? 0) + (loan?.score ?? 0);
      if ((match?.score ?? loan?.score ?? 0) < (ask.minScore ?? 0) || matched === 0) continue;
      let factor = factorOf(memory, now, ask.factors);
      for (const { value } of circumstances(memory, window)) factor *= value;
      ranked.push({ memory, match, loan, score: matched * factor });
    }
    ranked.sort((a, b) => b.score - a.score || b.memory._id - a.memory._id);
    const words = new Set(wanted);
    const first = await head(documents, ask, ranked, allowed);
    const hits = first.map((one) => toHit(one, ask, { words, now, window }));
    return { hits, candidates: ranked.length, warning };
  };
}

/** A memory that matched, with what its score comes from. */
interface Scored<Memory extends Ranked = Ranked> {
  memory: Memory;
  match: Fused | undefined;
  loan: Lent | undefined;
  score: number;
}

/** The first of what was ranked, with their documents as they are now. */
async function head<Doc extends Remembered>(
  documents: Documents<Doc>,
  ask: RecallRequest,
  ranked: readonly Scored[],
  allowed: (memory: Ranked) => boolean,
): Promise<Scored<Doc>[]> {
  const first = ranked.slice(0, ask.limit);
  const ids = first.map(({ memory }) => memory._id);
  const docs = new Map((await documents.load(ask.tenantId, ids)).filter(allowed).map((one) => [one._id, one]));
  const there = first.flatMap((one) => {
    const memory = docs.get(one.memory._id);
    return memory ? [{ ...one, memory }] : [];
  });
  return withinBudget(there, ask.tokenBudget);
}

function toHit<Doc extends Remembered>(
  { memory, match, loan, score }: Scored<Doc>,
  { question, factors: weights }: Pick<RecallRequest, 'question' | 'factors'>,
  { words, now, window }: { words: ReadonlySet<string>; now: number; window: Window | null },
): Hit<Doc> {
  return {
    memory,
    score,
    semanticScore: match?.semantic ?? null,
    keywordScore: match?.keyword ?? null,
    matchedBy: matchedBy(match, memory, question),
    snippet: snippetOf(memory.content, words),
    viaMemoryId: match ? null : (loan?.viaId ?? null),
    lentScore: loan?.score ?? null,
    factors: [...factorsOf(memory, now, weights), ...circumstances(memory, window)],
  };
}

/** Vectors are lost when a document should have one and none exist. */
const lostOf = ({ missing }: Meant, found: Iterable<Ranked>): string | null =>
  missing !== undefined && [...found].some(({ embeddingModel }) => embeddingModel === missing) ? lost : null;

export type Recall<Doc extends Remembered> = ReturnType<typeof createRecall<Doc>>;

const usual: readonly HitFactor[] = [];

/** Further factor of a memory for this question alone. */
function circumstances(memory: Ranked, window: Window | null): readonly HitFactor[] {
  if (!window && memory.supersededById === null) return usual;
  const all: HitFactor[] = [];
  if (window && isWithin(memory.createdAt, window)) all.push({ name: 'Time', value: 1 + factors.window });
  if (memory.supersededById !== null) all.push({ name: 'Superseded', value: factors.superseded });
  return all;
}

function weightsOf(
  { mode, weights, question }: Pick<RecallRequest, 'mode' | 'weights' | 'question'>,
  embedder: Indexes['embedder'],
) {
  if (mode === 'Semantic') return { semantic: 1, keyword: 0 };
  // Vectors of a script that the embedder does not read are noise.
  if (mode === 'Keyword' || !embedder.reads(question)) return { semantic: 0, keyword: 1 };
  return weights ?? embedder.weights;
}

function matchedBy(match: Fused | undefined, memory: Remembered, question: string): MatchedBy {
  if (!match) return 'Link';
  const asked = question.trim().toLowerCase();
  if (memory.title.toLowerCase() === asked || memory.content.trim().toLowerCase() === asked) return 'Exact';
  if (match.semantic !== null && match.keyword !== null) return 'Hybrid';
  return match.semantic !== null ? 'Semantic' : 'Keyword';
}

/** The best hits that fit, at least one, so that a long memory does not leave the answer empty. */
function withinBudget<One extends { memory: Remembered }>(hits: One[], tokens: number | undefined): One[] {
  if (tokens === undefined) return hits;
  let left = tokens;
  const kept: One[] = [];
  for (const hit of hits) {
    left -= Math.ceil((hit.memory.title.length + hit.memory.content.length) / charactersPerToken);
    if (left < 0 && kept.length > 0) break;
    kept.push(hit);
  }
  return kept;
}
