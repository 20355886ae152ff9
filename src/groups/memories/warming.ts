// Warming after a start: of the identities that wrote last, what searches need is read before anybody searches, and a few
// searches are made, so that caches are full and code is compiled when the first one comes.
import { finished, type Round } from '../../kernel/rounds.ts';
import { type Indexes, type Looks, memoryKind } from '../../memory/ports.ts';
import { readableScopes } from '../../memory/scopes.ts';
import type { Collection, Db } from '../../ports/db.ts';
import type { Library } from './library.ts';
import { type MemoryDoc, memoryRecord } from './record.ts';

interface Deps {
  db: Pick<Db, 'collection' | 'changes'>;
  indexes: Pick<Indexes, 'words' | 'vectors' | 'embedder'>;
  library: Pick<Library, 'recall' | 'expect'>;
  /** Memories of an identity from which on its first searches take long. */
  least?: number;
}

/** Interval in ms of the steps: a search of a large store each takes a twentieth of a core. */
const stepEveryMs = 250;
/** Number of the newest memories, which tell who wrote last. */
const newest = 200;
const mostIdentities = 4;
/** Searches of each identity: most of their code is compiled within as many. */
const searches = 40;
const questionWords = 6;
const usualLeast = 2000;

/** One step each time, until all are done. */
export function createWarming(deps: Deps): Round {
  let steps: AsyncGenerator<void> | null = null;
  const work = async (signal: AbortSignal) => {
    steps ??= warmingSteps(deps, signal);
    return (await steps.next()).done ? finished : undefined;
  };
  return { name: 'memories that may be searched first', everyMs: stepEveryMs, work };
}

/** Nothing of it costs a model's call, and nothing is written. A store without caches is left alone. */
export async function* warmingSteps(
  { db, indexes, library, least = usualLeast }: Deps,
  signal?: AbortSignal,
): AsyncGenerator<void> {
  if (!db.changes) return;
  const memories = db.collection(memoryRecord.spec);
  for (const looks of await lastWriters(memories)) {
    const scopes = readableScopes(looks.identityId, { shared: true, archived: false });
    const { documents } = await indexes.words.sizes(memoryKind, looks.tenantId, scopes);
    if (documents < least) continue;
    await library.expect?.(looks, signal);
    const spaces = await indexes.vectors.spaces(memoryKind);
    const space = spaces.find(({ model }) => model === indexes.embedder.model);
    for (const [at, question] of (await questionsOf(memories, looks)).entries()) {
      yield;
      const meant = space ? { vector: directionOf(space.dimensions, at) } : { mode: 'Keyword' as const };
      await library.recall({ ...looks, ...meant, question, limit: 10, shared: true, archived: false });
    }
    yield;
  }
}

async function lastWriters(memories: Collection<MemoryDoc>): Promise<Looks[]> {
  const page = { sort: { _id: -1 }, limit: newest, projection: { tenantId: 1, identityId: 1 } } as const;
  const last = new Map<string, Looks>();
  for (const { tenantId, identityId } of await memories.find({}, page).toArray())
    last.set(`${tenantId} ${identityId}`, { tenantId, identityId });
  return [...last.values()].slice(0, mostIdentities);
}

/** Words of what an identity wrote last: they are likely to be asked for. */
async function questionsOf(memories: Collection<MemoryDoc>, { tenantId, identityId }: Looks): Promise<string[]> {
  const page = { sort: { createdAt: -1 }, limit: searches, projection: { content: 1 } } as const;
  const some = await memories.find({ tenantId, identityId }, page).toArray();
  return some.map(({ content }) => content.split(/\s+/, questionWords).join(' '));
}

/** A made-up vector of length 1, since embedding may cost something; another one for each `salt`. */
function directionOf(dimensions: number, salt: number): Float32Array {
  const values = Array.from({ length: dimensions }, (_, at) => Math.cos((at + 1) * (salt + 1)));
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}
