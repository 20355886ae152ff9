// The leg of meaning: the question as a vector, and what lies near it.
import type { Fault } from '../../kernel/fault.ts';
import { isSameSpace, type VectorSpace } from '../../ports/vectors.ts';
import type { Indexes } from '../ports.ts';
import { apart, type Leg } from './fuse.ts';

export interface MeaningSearch {
  tenantId: number;
  scopes: readonly string[];
  question: string;
  limit: number;
}

export interface Meant {
  leg: Leg[];
  /** Why the meaning was not looked at, or not of all. */
  warning: string | null;
  /** The model whose vectors are nowhere: lost, where a document should have one. */
  missing?: string;
}

/** Milliseconds that a list of spaces is good for; it changes when the embedding model does. */
const spacesMs = 5000;
const nothing: Meant = { leg: [], warning: null };
export const lost = 'The vectors were lost and are being made again; until then memories are found by their words.';
const unfinished = 'Some memories are being embedded by a new model; until then they are found by their words.';

interface Deps extends Indexes {
  clock: { now(): number };
}

/** Nothing where the embedder does not read the question's script, and with a warning where something failed. */
export function createMeaning({ embedder, formerEmbedder, vectors, clock, refilling }: Deps, kind: string) {
  let known = { at: Number.NEGATIVE_INFINITY, spaces: [] as VectorSpace[] };

  async function spaces(fresh = false): Promise<VectorSpace[]> {
    if (fresh || clock.now() - known.at > spacesMs) known = { at: clock.now(), spaces: await vectors.spaces(kind) };
    return known.spaces;
  }

  /** Memories that still have the vector of an earlier model are searched by that one. */
  async function inFormer(space: VectorSpace, { question, ...search }: MeaningSearch): Promise<Meant> {
    try {
      const former = formerEmbedder(space.model);
      const [vector] = former ? await former.embed(search.tenantId, [question], 'question') : [];
      if (vector?.length === space.dimensions)
        return { ...nothing, leg: await vectors.search(space, { ...search, vector }) };
    } catch {
      // The warning says it: they are embedded anew meanwhile.
    }
    return { leg: [], warning: unfinished };
  }

  return async function byMeaning({ question, ...search }: MeaningSearch): Promise<Meant> {
    if (!embedder.reads(question)) return nothing;
    if (!vectors.isThere)
      return { leg: [], warning: 'Only words were searched: there is no store of vectors (QDRANT_URL).' };
    try {
      const [vector] = await embedder.embed(search.tenantId, [question], 'question');
      if (!vector) return nothing;
      const space: VectorSpace = { kind, model: embedder.model, dimensions: vector.length };
      const leg = await vectors.search(space, { ...search, vector });
      const isHere = (all: VectorSpace[]) => all.some((one) => isSameSpace(one, space));
      // One that was made a moment ago is not on a list from before.
      const isMissing = !isHere(await spaces()) && !isHere(await spaces(true));
      const former = (await spaces()).filter((one) => !isSameSpace(one, space));
      const refills = refilling?.has(kind) ? lost : null;
      if (former.length === 0) return { leg, warning: refills, ...(isMissing && { missing: embedder.model }) };
      const rest = await Promise.all(former.map((one) => inFormer(one, { ...search, question })));
      const warning = rest.find((one) => one.warning)?.warning ?? null;
      return { leg: apart([leg, ...rest.map((one) => one.leg)]), warning };
    } catch (error) {
      return { leg: [], warning: `Only words were searched: ${(error as Fault).message}` };
    }
  };
}
