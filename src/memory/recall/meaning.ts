// Leg of meaning: embeds the question and finds the nearest vectors.
import type { Clock } from '../../kernel/clock.ts';
import type { Fault } from '../../kernel/fault.ts';
import { isSameSpace, type VectorSpace } from '../../ports/vectors.ts';
import type { Indexes } from '../ports.ts';
import { apart, type Leg } from './fuse.ts';

export interface MeaningSearch {
  tenantId: number;
  scopes: readonly string[];
  question: string;
  /** Vector of the question by the present model, where it is known. */
  known?: Float32Array | undefined;
  limit: number;
}

export interface Meant {
  leg: Leg[];
  /** Reason why meaning was not searched, or only in part. */
  warning: string | null;
  /** Model whose vectors are lost, although a document should have one. */
  missing?: string;
}

/** Duration in ms of a cached list of spaces; it changes when the embedding model does. */
const spacesMs = 5000;
/** Result where meaning is not searched. */
export const nothing: Meant = { leg: [], warning: null };
export const lost = 'The vectors were lost and are being made again; until then memories are found by their words.';
const unfinished = 'Some memories are being embedded by a new model; until then they are found by their words.';

interface Deps extends Indexes {
  clock: Pick<Clock, 'steady'>;
}

/** Result of the leg; empty where the embedder does not read the question's script, with a warning after a failure. */
export function createMeaning({ embedder, formerEmbedder, vectors, clock, refilling }: Deps, kind: string) {
  let known = { at: Number.NEGATIVE_INFINITY, spaces: [] as VectorSpace[] };

  async function spaces(fresh = false): Promise<VectorSpace[]> {
    if (fresh || clock.steady() - known.at > spacesMs)
      known = { at: clock.steady(), spaces: await vectors.spaces(kind) };
    return known.spaces;
  }

  /** Memories with a vector of an earlier model are searched by that model. */
  async function inFormer(space: VectorSpace, { question, ...search }: MeaningSearch): Promise<Meant> {
    try {
      const former = formerEmbedder(space.model);
      const [vector] = former ? await former.embed(search.tenantId, [question], 'question') : [];
      if (vector?.length === space.dimensions)
        return { ...nothing, leg: await vectors.search(space, { ...search, vector }) };
    } catch {
      // The warning reports it: they are embedded again meanwhile.
    }
    return { leg: [], warning: unfinished };
  }

  return async function byMeaning({ question, known: own, ...search }: MeaningSearch): Promise<Meant> {
    if (!embedder.reads(question)) return nothing;
    if (!vectors.isThere)
      return { leg: [], warning: 'Only words were searched: there is no store of vectors (QDRANT_URL).' };
    try {
      const [vector] = own ? [own] : await embedder.embed(search.tenantId, [question], 'question');
      if (!vector) return nothing;
      const space: VectorSpace = { kind, model: embedder.model, dimensions: vector.length };
      const leg = await vectors.search(space, { ...search, vector });
      const isHere = (all: VectorSpace[]) => all.some((one) => isSameSpace(one, space));
      // A space made a moment ago is not in a cached list.
      const isMissing = !isHere(await spaces()) && !isHere(await spaces(true));
      const former = own ? [] : (await spaces()).filter((one) => !isSameSpace(one, space));
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
