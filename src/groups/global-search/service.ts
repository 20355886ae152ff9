// Asks every kind that the caller may read, and ranks what they find together.
import type { Caller } from '../../contract/caller.ts';
import type { SearchHitKind, SearchMode } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { stopWords } from '../../memory/recall/stop-words.ts';
import type { Embedder } from '../../ports/embedder.ts';
import { type Candidate, isAsked, type SearchLeg, type Sought } from '../../ports/search.ts';
import type { Vectors } from '../../ports/vectors.ts';
import { globalSearch } from './contract.ts';
import type { GlobalSearchHit } from './dto.ts';
import { type Ranked, rank } from './rank.ts';

interface Deps {
  legs: readonly SearchLeg[];
  indexes: { embedder: Pick<Embedder, 'reads' | 'weights' | 'embed'>; vectors: Pick<Vectors, 'isThere'> };
  clock: Clock;
}

/** Things that each kind proposes at most. */
const eachKind = 40;

type OfKind = Candidate & { kind: SearchHitKind };

export const globalSearchService = implement(globalSearch, ({ legs, indexes, clock }: Deps) => ({
  search: async ({
    caller,
    query: { q, kinds, projectId, identityId, limit, minScore = 0, mode: asked = 'Hybrid' },
  }) => {
    const begun = clock.steady();
    const meaning = await meaningOf(indexes, caller, q, asked);
    const mode = meaning.isRead || asked === 'Semantic' ? asked : 'Keyword';
    const sought: Sought = {
      question: q,
      words: wordsTyped(q),
      mode,
      projectId: projectId ?? null,
      identityId: identityId ?? null,
      limit: eachKind,
    };
    const open = legs.filter(({ kind, needs }) => (kinds?.includes(kind) ?? true) && mayRead(caller, needs));
    const { found, failed } = await ask(open, caller, sought);
    const own = found.filter((one) => isAsked(sought, one));
    const { weights } = indexes.embedder;
    const ranked = rank(own, { question: q, mode, weights }).filter(({ score }) => score >= minScore);
    const countsByKind: Record<string, number> = {};
    for (const { candidate } of ranked) countsByKind[candidate.kind] = (countsByKind[candidate.kind] ?? 0) + 1;
    return {
      query: q,
      hits: ranked.slice(0, limit).map(toHit),
      countsByKind,
      tookMs: Math.round(clock.steady() - begun),
      semanticUsed: meaning.isRead,
      warning: warningOf(failed, meaning.why),
    };
  },
}));

function mayRead({ permissions, managesAccount }: Caller, needs: SearchLeg['needs']): boolean {
  if (needs === 'self') return managesAccount;
  return needs === 'public' || permissions.has(needs);
}

/** Words as they were typed; stop words only where there is nothing else. */
function wordsTyped(question: string): string[] {
  const all = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
  const telling = all.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : all).sort((a, b) => b.length - a.length);
}

/** What the kinds propose; one that fails does not take the others with it. */
async function ask(legs: readonly SearchLeg[], caller: Caller, sought: Sought) {
  const failed: { kind: SearchHitKind; why: string }[] = [];
  const found = await Promise.all(
    legs.map(async ({ kind, find }): Promise<OfKind[]> => {
      try {
        return (await find(caller, sought)).map((one) => ({ ...one, kind }));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        failed.push({ kind, why: error.message });
        return [];
      }
    }),
  );
  return { found: found.flat(), failed };
}

/** Whether meaning can be looked at. The question is read once, and not by each kind, where its reader does not answer. */
async function meaningOf(
  { embedder, vectors }: Deps['indexes'],
  { tenantId }: Caller,
  question: string,
  mode: SearchMode,
): Promise<{ isRead: boolean; why: string | null }> {
  if (mode === 'Keyword') return { isRead: false, why: null };
  if (!vectors.isThere) return { isRead: false, why: 'there is no store of vectors (QDRANT_URL).' };
  if (!embedder.reads(question)) return { isRead: false, why: 'the embedding model does not read this script.' };
  try {
    await embedder.embed(tenantId, [question], 'question');
    return { isRead: true, why: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { isRead: false, why: error.message };
  }
}

function warningOf(failed: readonly { kind: string; why: string }[], notRead: string | null): string | null {
  const told = failed.map(({ kind, why }) => `${kind} was not searched: ${why}`);
  if (notRead) told.push(`Only words were searched: ${notRead}`);
  return told.length > 0 ? told.join(' ') : null;
}

/** Characters of a title in a list. */
const titleCharacters = 200;

const toHit = ({ candidate, score, matchedBy, snippet }: Ranked<OfKind>): GlobalSearchHit => ({
  kind: candidate.kind,
  id: candidate.id,
  guid: candidate.guid,
  title: candidate.title.slice(0, titleCharacters).toWellFormed(),
  snippet,
  score,
  matchedBy,
  url: candidate.url,
  identityId: candidate.identityId,
  projectId: candidate.projectId,
  tags: [...candidate.tags],
  updatedAtUtc: candidate.updatedAt?.toISOString() ?? null,
});
