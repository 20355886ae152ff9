// Indexing: keeps the indexes equal to the documents: words at once, vectors in the background, and repairs after
// failures.
import { isSameSpace } from '../ports/vectors.ts';
import type { Findable, Kind } from './kinds.ts';
import type { Indexes } from './ports.ts';
import { countsOf } from './recall/words.ts';

/** Port of the documents for the background work, over all tenants. */
export interface Backlog<Doc extends Findable> {
  pending(limit: number): Promise<Doc[]>;
  /** Existing documents in the order of ids, after `after`. */
  scan(after: number, limit: number): Promise<Doc[]>;
  find(tenantId: number, ids: readonly number[]): Promise<Doc[]>;
  /** Whether one of the oldest or newest documents should have a vector of the model. */
  hasModel(model: string): Promise<boolean>;
  /** Clears the intent unless the document has changed since. */
  settle(doc: Doc, embeddingModel: string | null): Promise<boolean>;
  /** Sets the intent again, for documents whose entries were lost. */
  reopen(docs: readonly Doc[]): Promise<void>;
}

const batch = 32;
const page = 500;
/** Rounds between two checks for vectors that were lost as a whole. */
const roundsBetween = 30;

interface Deps<Doc extends Findable> extends Omit<Indexes, 'formerEmbedder'> {
  kind: Kind<Doc>;
  backlog: Backlog<Doc>;
  /** Follow-up of each change of a document; repeated after a crash. */
  also?: (doc: Doc) => Promise<void>;
  /** Undoes `also` for a removed document; safe to repeat. */
  gone?: (doc: Pick<Doc, '_id' | 'tenantId'>) => Promise<void>;
  /** Results of `also`, of each sort in the order of document ids after `after`. */
  written?: readonly ((after: number, limit: number) => Promise<Place[]>)[];
}

/** Entry of a document in the index of words. */
export const wordsEntry = <Doc extends Findable>(kind: Kind<Doc>, doc: Doc) => ({
  id: doc._id,
  tenantId: doc.tenantId,
  scopes: kind.scopesOf(doc),
  counts: countsOf(kind.textOf(doc)),
  ...(doc.sealedBy && { isSealed: true }),
});

/** Removes documents from every index. */
export async function forgetEntries(
  { words, vectors }: Pick<Indexes, 'words' | 'vectors'>,
  kind: string,
  tenantId: number,
  ids: readonly number[],
) {
  await words.remove(kind, tenantId, ids);
  for (const space of await vectors.spaces(kind)) await vectors.remove(space, tenantId, ids);
}

export const createIndexing = <Doc extends Findable>(deps: Deps<Doc>) => new Indexing(deps);

export class Indexing<Doc extends Findable = Findable> {
  readonly #deps: Deps<Doc>;
  #isOneModel = false;
  #rounds = 0;
  /** Whether there was a space of the model when one was last checked or written; null before the first check. */
  #hadSpace: boolean | null = null;

  constructor(deps: Deps<Doc>) {
    this.#deps = deps;
  }

  /**
   * One round of the background work: all pending documents, then those with a vector of an earlier model. It ends between
   * two batches when the signal is aborted: the rest waits for the next start.
   */
  async round(signal?: AbortSignal): Promise<void> {
    await this.#settleAll(signal);
    // The model changes only with a restart, so one check per process is enough.
    while (!this.#isOneModel && !signal?.aborted) {
      this.#isOneModel = (await this.#changeModel()) === 0;
      await this.#settleAll(signal);
    }
    if (signal?.aborted) return;
    if (this.#rounds++ % roundsBetween === 0) await this.#refillLost(signal);
  }

  async #settleAll(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.#settleSome()) > 0);
  }

  /** Rebuilds all vectors when their space is gone, e.g. deleted in Qdrant. */
  async #refillLost(signal?: AbortSignal): Promise<void> {
    const { backlog, embedder, vectors, kind, refilling } = this.#deps;
    if (!vectors.isThere) return;
    const isThere = (await vectors.spaces(kind.name)).some(({ model }) => model === embedder.model);
    const mayBeLost = !isThere && this.#hadSpace !== false;
    this.#hadSpace = isThere;
    if (!mayBeLost || !(await backlog.hasModel(embedder.model))) return;
    refilling?.add(kind.name);
    try {
      await this.repair();
      await this.#settleAll(signal);
      this.#hadSpace = true;
    } finally {
      refilling?.delete(kind.name);
    }
  }

  /**
   * Compares the indexes with the documents, page by page, in both directions: the next round rebuilds missing entries,
   * and entries without a document are removed. Returns the number of each.
   */
  async repair(): Promise<{ reopened: number; removed: number }> {
    const { words, vectors } = this.#deps;
    const reopened = await reopenMissing(this.#deps);
    let removed = await removeOrphans(
      this.#deps,
      (after) => words.scroll(this.#deps.kind.name, after, page),
      (tenantId, ids) => words.remove(this.#deps.kind.name, tenantId, ids),
    );
    for (const space of await vectors.spaces(this.#deps.kind.name))
      removed += await removeOrphans(
        this.#deps,
        (after) => vectors.scroll(space, after, page),
        (tenantId, ids) => vectors.remove(space, tenantId, ids),
      );
    for (const written of this.#deps.written ?? [])
      removed += await removeOrphans(
        this.#deps,
        (after) => written(after, page),
        async () => {},
      );
    return { reopened, removed };
  }

  /** Settles some pending memories; returns their number. */
  async #settleSome(): Promise<number> {
    const some = await this.#deps.backlog.pending(batch);
    if (some.length === 0) return 0;
    await this.#deps.words.upsert(
      this.#deps.kind.name,
      some.map((one) => wordsEntry(this.#deps.kind, one)),
    );
    const { also } = this.#deps;
    if (also) for (const doc of some) await also(doc);
    for (const [tenantId, own] of byTenant(some)) await this.#settleOf(tenantId, own);
    return some.length;
  }

  async #settleOf(tenantId: number, some: Doc[]): Promise<void> {
    const { backlog, embedder, vectors, kind } = this.#deps;
    const read = vectors.isThere ? some.filter((one) => embedder.reads(kind.textOf(one))) : [];
    // A change may have moved the text to a script that the embedder does not read: then it has no model any more.
    const unread = some.filter((one) => !read.includes(one) && one.revision > 1);
    for (const space of unread.length > 0 ? await this.#deps.vectors.spaces(this.#deps.kind.name) : [])
      await this.#deps.vectors.remove(space, tenantId, idsOf(unread));
    await this.#embed(tenantId, read);
    for (const memory of some) {
      const settled = await backlog.settle(memory, read.includes(memory) ? embedder.model : null);
      // A document changed meanwhile waits for another round. For one removed meanwhile, the new entries are removed.
      if (!settled && (await backlog.find(tenantId, [memory._id])).length === 0) {
        await this.#deps.gone?.(memory);
        await forgetEntries(this.#deps, kind.name, tenantId, [memory._id]);
      }
    }
  }

  async #embed(tenantId: number, memories: readonly Doc[]): Promise<void> {
    const { embedder, vectors, kind } = this.#deps;
    const place = (one: Doc) => ({ id: one._id, tenantId, scopes: kind.scopesOf(one) });
    const isThere = (one: Doc) => one.embeddingModel === embedder.model;
    // The document moved without a change of text: the vector stays.
    const moved = memories.filter(isThere).map(place);
    for (const space of moved.length > 0 ? await vectors.spaces(this.#deps.kind.name) : [])
      if (space.model === embedder.model) await vectors.setScopes(space, moved);
    const fresh = memories.filter((one) => !isThere(one));
    if (fresh.length === 0) return;
    const made = await embedder.embed(tenantId, fresh.map(kind.textOf), 'document');
    const space = { kind: kind.name, model: embedder.model, dimensions: made[0]?.length ?? 0 };
    const points = fresh.map((one, at) => ({ ...place(one), vector: made[at] as Float32Array }));
    await vectors.upsert(space, points);
    // Lost from now on, if a check does not find it: it may be gone before the first one that could have.
    this.#hadSpace = true;
    // The old model's vector is removed once the new one can be found, so that one is always there.
    for (const former of await vectors.spaces(this.#deps.kind.name))
      if (!isSameSpace(former, space)) await vectors.remove(former, tenantId, idsOf(fresh));
  }

  /** Requeues memories with vectors of another model, and drops empty spaces; returns the number requeued. */
  async #changeModel(): Promise<number> {
    const { backlog, vectors, embedder, kind } = this.#deps;
    let reopened = 0;
    for (const space of await vectors.spaces(this.#deps.kind.name)) {
      if (space.model === embedder.model) continue;
      const some = await vectors.scroll(space, 0, page);
      if (some.length === 0) await vectors.drop(space);
      for (const [tenantId, places] of byTenant(some)) {
        const ids = places.map(({ id }) => id);
        const docs = await backlog.find(tenantId, ids);
        const read = docs.filter((one) => embedder.reads(kind.textOf(one)));
        await backlog.reopen(read);
        reopened += read.length;
        const kept = new Set(idsOf(read));
        await vectors.remove(
          space,
          tenantId,
          ids.filter((id) => !kept.has(id)),
        );
      }
    }
    return reopened;
  }
}

const idsOf = (memories: readonly { _id: number }[]) => memories.map(({ _id }) => _id);

function byTenant<T extends { tenantId: number }>(all: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const one of all) groups.set(one.tenantId, [...(groups.get(one.tenantId) ?? []), one]);
  return groups;
}

export type Place = { id: number; tenantId: number; scopes: readonly string[] };
type Scroll = (after: number) => Promise<readonly Place[]>;

/** Documents whose words or vector are missing, or in the wrong scopes. */
async function reopenMissing<Doc extends Findable>({
  kind,
  backlog,
  words,
  vectors,
  embedder,
}: Deps<Doc>): Promise<number> {
  const spaces = await vectors.spaces(kind.name);
  const merged = [
    createReader((after) => words.scroll(kind.name, after, page)),
    ...spaces
      .filter(({ model }) => model === embedder.model)
      .map((space) => createReader((after) => vectors.scroll(space, after, page))),
  ];
  const [readWords, ...readVectors] = merged as [ReturnType<typeof createReader>, ...ReturnType<typeof createReader>[]];
  let reopened = 0;
  for (let after = 0; ; ) {
    const docs = await backlog.scan(after, page);
    if (docs.length === 0) return reopened;
    const lost: Doc[] = [];
    for (const doc of docs) {
      const wanted = kind.scopesOf(doc).join('\n');
      const isAt = (place: Place | null) => place?.scopes.join('\n') === wanted;
      const places = await Promise.all(readVectors.map((read) => read(doc._id)));
      const hasVector = doc.embeddingModel !== embedder.model || places.some(isAt);
      if (!isAt(await readWords(doc._id)) || !hasVector) lost.push(doc);
    }
    await backlog.reopen(lost);
    reopened += lost.length;
    after = docs.at(-1)?._id ?? after;
  }
}

/** Reads entries in the order of ids, a page at a time. */
function createReader(scroll: Scroll): (id: number) => Promise<Place | null> {
  let held: Place[] = [];
  let done = false;
  return async (id) => {
    while (!done && (held.at(-1)?.id ?? 0) < id) {
      const more = await scroll(held.at(-1)?.id ?? 0);
      done = more.length === 0;
      if (!done) held = [...more];
    }
    return held.find((one) => one.id === id) ?? null;
  };
}

async function removeOrphans<Doc extends Findable>(
  { backlog, gone: takeBack }: Pick<Deps<Doc>, 'backlog' | 'gone'>,
  scroll: Scroll,
  remove: (tenantId: number, ids: number[]) => Promise<void>,
): Promise<number> {
  let removed = 0;
  for (let after = 0; ; ) {
    const some = await scroll(after);
    if (some.length === 0) return removed;
    for (const tenantId of new Set(some.map((one) => one.tenantId))) {
      const ids = some.filter((one) => one.tenantId === tenantId).map(({ id }) => id);
      const there = new Set((await backlog.find(tenantId, ids)).map(({ _id }) => _id));
      const gone = ids.filter((id) => !there.has(id));
      // The entry is removed last: after a crash before that, the next repair finds it.
      for (const _id of gone) await takeBack?.({ _id, tenantId } as Doc);
      if (gone.length > 0) await remove(tenantId, gone);
      removed += gone.length;
    }
    after = some.at(-1)?.id ?? after;
  }
}

/** Whether a memory can be found by meaning. */
export const hasEmbedding = ({ embeddingModel }: Pick<Findable, 'embeddingModel'>) => embeddingModel !== null;
