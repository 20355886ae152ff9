// Search in a small kind of documents by words and meaning, fused; memories have their own recall, with links and time.
import type { SearchMode } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { proposals } from './constants.ts';
import { forgetEntries, wordsEntry } from './indexing.ts';
import type { Findable, Kind } from './kinds.ts';
import type { Indexes } from './ports.ts';
import { type Fused, fuse } from './recall/fuse.ts';
import { createMeaning, nothing } from './recall/meaning.ts';
import { snippetOf } from './recall/snippet.ts';
import { wordsOf } from './recall/words.ts';

interface Search<Doc> {
  tenantId: number;
  scopes: readonly string[];
  question: string;
  limit: number;
  /** Least match, 0 to 1. */
  minScore?: number | undefined;
  /** The only leg to use; both when absent. */
  mode?: SearchMode | undefined;
  /** Filter of the documents, applied to all candidates of the indexes. */
  load(ids: readonly number[]): Promise<Doc[]>;
  /** Factor of a match. */
  factor?(doc: Doc): number;
}

export interface Match<Doc> {
  doc: Doc;
  score: number;
  matchedBy: 'Semantic' | 'Keyword' | 'Hybrid';
  snippet: string;
  /** Cosine of the document's and the question's vectors; null when the leg of meaning did not find it. */
  nearness: number | null;
}

export function createFinder<Doc extends Findable>(deps: Indexes & { clock: Pick<Clock, 'steady'> }, kind: Kind<Doc>) {
  const byMeaning = createMeaning(deps, kind.name);
  return {
    /** Writes the words of a document to the index; searches find them from then on. */
    index: (doc: Doc) => deps.words.upsert(kind.name, [wordsEntry(kind, doc)]),
    forget: (tenantId: number, ids: readonly number[]) => forgetEntries(deps, kind.name, tenantId, ids),
    async search({ tenantId, scopes, question, limit, minScore = 0, load, mode, factor = () => 1 }: Search<Doc>) {
      const wanted = wordsOf(question);
      const search = { tenantId, scopes, limit: proposals.first };
      const [keyword, meaning] = await Promise.all([
        mode === 'Semantic' ? [] : deps.words.search(kind.name, { ...search, words: wanted }),
        mode === 'Keyword' ? nothing : byMeaning({ ...search, question }),
      ]);
      const weights = deps.embedder.reads(question) ? deps.embedder.weights : { semantic: 0, keyword: 1 };
      const near = new Map(meaning.leg.map(({ id, score }) => [id, score]));
      const fused = fuse(meaning.leg, keyword, weights);
      const words = new Set(wanted);
      const matches: Match<Doc>[] = [];
      for (const doc of await load([...fused.keys()])) {
        const match = fused.get(doc._id) as Fused;
        if (match.score < minScore || match.score === 0) continue;
        const snippet = snippetOf(kind.textOf(doc), words);
        const nearness = near.get(doc._id) ?? null;
        matches.push({ doc, score: match.score * factor(doc), matchedBy: matchedBy(match), snippet, nearness });
      }
      return matches.sort((a, b) => b.score - a.score || b.doc._id - a.doc._id).slice(0, limit);
    },
  };
}
export type Finder<Doc extends Findable> = ReturnType<typeof createFinder<Doc>>;

function matchedBy({ semantic, keyword }: Fused): Match<never>['matchedBy'] {
  if (semantic !== null && keyword !== null) return 'Hybrid';
  return semantic !== null ? 'Semantic' : 'Keyword';
}
