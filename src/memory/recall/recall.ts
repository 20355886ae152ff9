// Recall: finds memories by words and meaning, fused, plus linked ones, ordered by further factors.
import { charactersPerToken, factors, lending, proposals } from '../constants.ts';
import { type Documents, type Indexes, memoryKind, type Remembered } from '../ports.ts';
import { isReadable, readableScopes } from '../scopes.ts';
import { createExpansion } from './expansion.ts';
import { type FactorWeights, factorOf, factorsOf, type NamedFactor } from './factors.ts';
import { type Fused, fuse, type Leg } from './fuse.ts';
import { createMeaning, lost, type Meant, nothing } from './meaning.ts';
import { snippetOf } from './snippet.ts';
import { isWithin, type Window, windowOf } from './window.ts';
import { wordsOf } from './words.ts';

export interface RecallRequest<Doc extends Remembered> {
  tenantId: number;
  /** Identity whose memories are searched. */
  identityId: number;
  question: string;
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
  /** Filters on the memory: type, project, tag and the like. */
  filter?: ((memory: Doc) => boolean) | undefined;
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
  clock: { now(): number };
}

/** Recall calls no language model and writes nothing. */
export function createRecall<Doc extends Remembered>(deps: Deps<Doc>) {
  const { documents, clock, embedder, words } = deps;
  const byMeaning = createMeaning(deps, memoryKind);
  const expand = createExpansion(documents);

  /** Candidates of the legs that the documents allow; more are requested while filters leave too few. */
  async function gather(ask: RecallRequest<Doc>, wanted: readonly string[]) {
    const scopes = readableScopes(ask.identityId, ask);
    const allowed = (memory: Doc) => isReadable(memory, ask.identityId, ask) && (ask.filter?.(memory) ?? true);
    const weights = weightsOf(ask, embedder);
    for (let limit: number = Math.max(proposals.first, ask.limit * 2); ; limit *= proposals.growth) {
      const search = { tenantId: ask.tenantId, scopes, words: wanted, limit };
      const [keyword, meaning] = await Promise.all([
        ask.mode === 'Semantic' ? [] : words.search(memoryKind, search),
        ask.mode === 'Keyword' ? nothing : byMeaning({ ...search, question: ask.question }),
      ]);
      const ids = [...new Set([...keyword, ...meaning.leg].map(({ id }) => id))];
      const found = new Map((await documents.load(ask.tenantId, ids)).filter(allowed).map((one) => [one._id, one]));
      const there = ({ id }: Leg) => found.has(id);
      const isAll = keyword.length < limit && meaning.leg.length < limit;
      if (isAll || found.size >= ask.limit * 2 || limit >= proposals.most)
        return {
          found,
          allowed,
          fused: fuse(meaning.leg.filter(there), keyword.filter(there), weights),
          warning: meaning.warning ?? lostOf(meaning, found.values()),
        };
    }
  }

  return async function recall(ask: RecallRequest<Doc>): Promise<Recalled<Doc>> {
    const [wanted, now] = [wordsOf(ask.question), clock.now()];
    const [gathered, window] = await Promise.all([gather(ask, wanted), windowOf(ask.question, now)]);
    const { found, fused, warning } = gathered;
    const { tenantId, identityId, depth = lending.depth, share } = ask;
    const lent = await expand({ ...gathered, tenantId, identityId, depth, share });
    const words = new Set(wanted);
    const hits: Hit<Doc>[] = [];
    for (const memory of found.values()) {
      const match = fused.get(memory._id);
      const loan = lent.get(memory._id);
      const matched = (match?.score ?? 0) + (loan?.score ?? 0);
      if ((match?.score ?? loan?.score ?? 0) < (ask.minScore ?? 0) || matched === 0) continue;
      let factor = factorOf(memory, now, ask.factors);
      for (const { value } of circumstances(memory, window)) factor *= value;
      hits.push({
        memory,
        score: matched * factor,
        semanticScore: match?.semantic ?? null,
        keywordScore: match?.keyword ?? null,
        matchedBy: matchedBy(match, memory, ask.question),
        snippet: '',
        viaMemoryId: match ? null : (loan?.viaId ?? null),
        lentScore: loan?.score ?? null,
        factors: [],
      });
    }
    hits.sort((a, b) => b.score - a.score || b.memory._id - a.memory._id);
    const kept = withinBudget(hits.slice(0, ask.limit), ask.tokenBudget);
    for (const hit of kept) {
      hit.snippet = snippetOf(hit.memory.content, words);
      hit.factors = [...factorsOf(hit.memory, now, ask.factors), ...circumstances(hit.memory, window)];
    }
    return { hits: kept, candidates: hits.length, warning };
  };
}

/** Vectors are lost when a document should have one and none exist. */
const lostOf = ({ missing }: Meant, found: Iterable<Remembered>): string | null =>
  missing !== undefined && [...found].some(({ embeddingModel }) => embeddingModel === missing) ? lost : null;

export type Recall<Doc extends Remembered> = ReturnType<typeof createRecall<Doc>>;

/** Further factor of a memory for this question alone. */
function circumstances(memory: Remembered, window: Window | null): HitFactor[] {
  const all: HitFactor[] = [];
  if (window && isWithin(memory.createdAt, window)) all.push({ name: 'Time', value: 1 + factors.window });
  if (memory.supersededById !== null) all.push({ name: 'Superseded', value: factors.superseded });
  return all;
}

function weightsOf(
  { mode, weights, question }: Pick<RecallRequest<Remembered>, 'mode' | 'weights' | 'question'>,
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
function withinBudget<Doc extends Remembered>(hits: Hit<Doc>[], tokens: number | undefined): Hit<Doc>[] {
  if (tokens === undefined) return hits;
  let left = tokens;
  const kept: Hit<Doc>[] = [];
  for (const hit of hits) {
    left -= Math.ceil((hit.memory.title.length + hit.memory.content.length) / charactersPerToken);
    if (left < 0 && kept.length > 0) break;
    kept.push(hit);
  }
  return kept;
}
