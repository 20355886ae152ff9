// Finds documents: by words and meaning through their passages, and by any name that leads to them.
import type { DocType, SearchMode } from '../../contract/enums.ts';
import { clearanceOf } from '../../documents/clearance.ts';
import { nameKey, targetsOf } from '../../documents/names.ts';
import type { Finder } from '../../memory/finder.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { maySee, type Sight, seenBy } from './access.ts';
import type { Passages } from './passages.ts';
import { type DocDoc, type PassageDoc, passageScope } from './record.ts';

export interface Found {
  doc: DocDoc;
  score: number;
  matchedBy: 'Semantic' | 'Keyword' | 'Hybrid' | 'Exact';
  snippet: string;
  /** Cosine of the passage's vector and the question's; null where meaning did not find it. */
  nearness: number | null;
}

interface Search {
  question: string;
  limit: number;
  minScore?: number | undefined;
  type?: DocType | undefined;
  mode?: SearchMode | undefined;
}

interface Deps {
  docs: PerTenant<DocDoc>;
  passages: Passages;
  finder: Finder<PassageDoc>;
}

/** Passages looked at for each document that is asked for: several may be of one. */
const passagesEach = 8;

export function createFinding({ docs, passages, finder }: Deps) {
  const byNames = async (sight: Sight, names: readonly string[]): Promise<DocDoc[]> =>
    names.length === 0
      ? []
      : docs(sight.tenantId)
          .find({ ...seenBy(sight), names: { $in: [...names] } }, { limit: 100 })
          .toArray();

  return {
    search: createSearch({ docs, passages, finder }),
    /** The document that a name means: its path or slug, else one that it had. */
    async named(sight: Sight, name: string): Promise<DocDoc | null> {
      const key = nameKey(
        name
          .trim()
          .replace(/^\/+|\/+$/g, '')
          .replace(/\.md$/i, ''),
      );
      return closest(await byNames(sight, [key]), [key]);
    },
    /** What each of some addresses in a document leads to. */
    async linked(sight: Sight, from: DocDoc, hrefs: readonly string[]): Promise<Map<string, DocDoc>> {
      const wanted = new Map(hrefs.map((href) => [href, targetsOf(href, from.path)]));
      const found = await byNames(sight, [...new Set([...wanted.values()].flat())].slice(0, 1000));
      const linked = new Map<string, DocDoc>();
      for (const [href, names] of wanted) {
        const doc = closest(found, names);
        if (doc) linked.set(href, doc);
      }
      return linked;
    },
    linksTo: async (sight: Sight, doc: DocDoc): Promise<DocDoc[]> => {
      const found = await byNames(sight, doc.linkTargets.slice(0, 1000));
      return found.filter(({ _id }) => _id !== doc._id);
    },
    linkedFrom: async (sight: Sight, doc: DocDoc): Promise<DocDoc[]> => {
      const filter = { ...seenBy(sight), linkTargets: { $in: doc.names } };
      const found = await docs(sight.tenantId).find(filter, { limit: 200 }).toArray();
      return found.filter(({ _id }) => _id !== doc._id);
    },
  };
}
export type Finding = ReturnType<typeof createFinding>;

/** The best first, each document once, of all projects that are looked at. */
function createSearch({ docs, passages, finder }: Deps) {
  return async (sights: readonly Sight[], { question, limit, minScore, type, mode }: Search): Promise<Found[]> => {
    const [first] = sights;
    if (!first) return [];
    const { tenantId } = first;
    const seen = new Map(sights.map((sight) => [sight.projectId, sight]));
    const scopes = sights.flatMap((sight) =>
      clearanceOf(sight.role).map((classification) => passageScope(sight.projectId, classification)),
    );
    const byId = new Map<number, DocDoc>();
    const load = async (ids: readonly number[]): Promise<PassageDoc[]> => {
      const found = await passages
        .of(tenantId)
        .find({ _id: { $in: [...ids] } })
        .toArray();
      const docIds = [...new Set(found.map(({ docId }) => docId))];
      const there = { _id: { $in: docIds }, deletedAt: null, ...(type && { type }) };
      for (const doc of await docs(tenantId).find(there).toArray()) {
        // The document says who may see it, whatever an index proposes.
        const sight = seen.get(doc.projectId);
        if (sight && maySee(sight, doc)) byId.set(doc._id, doc);
      }
      return found.filter(({ docId }) => byId.has(docId));
    };
    const asked = { tenantId, scopes, question, minScore, mode, load, limit: limit * passagesEach };
    const best = new Map<number, Found>();
    for (const { doc: passage, ...match } of await finder.search(asked)) {
      const doc = byId.get(passage.docId) as DocDoc;
      if (best.has(doc._id)) continue;
      const isNamed = nameKey(doc.title) === nameKey(question.trim());
      best.set(doc._id, { doc, ...match, ...(isNamed && { matchedBy: 'Exact' as const }) });
    }
    const isExact = ({ matchedBy }: Found) => Number(matchedBy === 'Exact');
    // Among others the order of the finder stays.
    return [...best.values()].sort((a, b) => isExact(b) - isExact(a)).slice(0, limit);
  };
}

/** Of several documents the one that has the first of the names now, else had it. */
export function closest<Doc extends Pick<DocDoc, 'pathKey' | 'slug' | 'names'>>(
  docs: readonly Doc[],
  names: readonly string[],
): Doc | null {
  for (const name of names) {
    const found =
      docs.find(({ pathKey }) => pathKey === name) ??
      docs.find(({ slug }) => slug === name) ??
      docs.find((doc) => doc.names.includes(name));
    if (found) return found;
  }
  return null;
}
