// What the search over everything asks of each kind, and how kinds without an index of words look for them.
import type { Caller } from '../contract/caller.ts';
import type { Permission, SearchHitKind, SearchMode } from '../contract/enums.ts';
import { type Collection, contains, type Entity, type Filter, type Sort } from './db.ts';

/** What is looked for in one kind. */
export interface Sought {
  question: string;
  /** Its words as they were typed, lower-case, the longest first. */
  words: readonly string[];
  mode: SearchMode;
  /** Nothing outside this project, and nothing of another identity, is asked for; null for all. */
  projectId: number | null;
  identityId: number | null;
  /** Things that a kind proposes at most: its best, or its newest. */
  limit: number;
}

/** Something that the caller may read and that fits, as one kind proposes it; the ranking is over all kinds. */
export interface Candidate {
  id: number;
  guid: string | null;
  title: string;
  text: string;
  /** Path of it in the dashboard. */
  url: string;
  identityId: number | null;
  projectId: number | null;
  tags: readonly string[];
  updatedAt: Date | null;
  /** How near its vector is to the question's, where it was found by meaning. */
  nearness?: number | null;
}

/** How things of one kind are found. A kind proposes only what the operation that reads one would show the caller. */
export interface SearchLeg {
  kind: SearchHitKind;
  /** As of the operations that read the kind: `self` is what no key with a scope of its own sees. */
  needs: Permission | 'self' | 'public';
  find(caller: Caller, sought: Sought): Promise<readonly Candidate[]>;
}

/** Whether something is of the project and of the identity that are asked for. */
export const isAsked = (
  sought: Pick<Sought, 'projectId' | 'identityId'>,
  one: { projectId: number | null; identityId: number | null },
): boolean =>
  (sought.projectId === null || one.projectId === sought.projectId) &&
  (sought.identityId === null || one.identityId === sought.identityId);

/** Words of a question that are looked for at most, and how many of them one by one. */
const [mostWords, mostAlone] = [8, 2];
/** Shorter words are in no index of parts: they are looked for in the newest documents only. */
const shortest = 3;
const newestLookedAt = 300;

interface Holding<Doc> {
  /** Fields of text, each with an index of its parts (`texts`). */
  fields: readonly (keyof Doc & string)[];
  /** What the caller may read. */
  within: Filter<Doc>;
  /** The newest first, by an index. */
  sort: Sort<Doc>;
  /** Where a document says its project and its identity, as far as its kind has them. */
  places?: { projectId?: keyof Doc & string; identityId?: keyof Doc & string };
}

/**
 * Documents whose fields hold the words: all of them, else one of the longest; each query reads as much as it returns.
 *
 * @example await holding(tasks.of(tenantId), { fields: ['title'], within: visibleTo(caller), sort: { updatedAt: -1 } }, sought)
 */
export async function holding<Doc extends Entity>(
  collection: Collection<Doc>,
  { fields, within: open, sort, places = {} }: Holding<Doc>,
  { words, mode, limit, projectId, identityId }: Sought,
): Promise<Doc[]> {
  const [longest, ...others] = words.slice(0, mostWords);
  if (longest === undefined || mode === 'Semantic') return [];
  const asked = [
    ...(places.projectId && projectId !== null ? [{ [places.projectId]: projectId }] : []),
    ...(places.identityId && identityId !== null ? [{ [places.identityId]: identityId }] : []),
  ] as Filter<Doc>[];
  const within = asked.length > 0 ? ({ $and: [open, ...asked] } as Filter<Doc>) : open;
  if (longest.length < shortest) {
    const newest = await collection.find(within, { sort, limit: newestLookedAt }).toArray();
    const text = (doc: Doc) => fields.map((name) => String(doc[name] ?? '').toLowerCase()).join('\n');
    return newest.filter((doc) => words.some((word) => text(doc).includes(word))).slice(0, limit);
  }
  const holds = (field: string, word: string) =>
    ({ [field]: { $regex: contains(word), $options: 'i' } }) as Filter<Doc>;
  const read = (field: string, [first, ...rest]: readonly string[]) => {
    const more = [...asked, ...rest.map((word) => holds(field, word))];
    const filter = { ...open, ...holds(field, first as string), ...(more.length > 0 ? { $and: more } : {}) };
    return collection.find(filter as Filter<Doc>, { sort, limit }).toArray();
  };
  const found = new Map<Doc['_id'], Doc>();
  const add = async (asked: readonly string[]) => {
    for (const some of await Promise.all(fields.map((field) => read(field, asked))))
      for (const doc of some) found.set(doc._id, doc);
  };
  await add([longest, ...others]);
  if (others.length > 0 && found.size < limit)
    for (const word of [longest, ...others].slice(0, mostAlone)) if (word.length >= shortest) await add([word]);
  return [...found.values()];
}
