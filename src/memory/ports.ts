// What memory needs from outside: the documents, and what it is told about them.
import type { LinkType, MemoryType, Provenance } from '../contract/enums.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Vectors } from '../ports/vectors.ts';
import type { Words } from '../ports/words.ts';

/** A memory, as far as finding it needs to know. */
export interface Remembered {
  _id: number;
  tenantId: number;
  identityId: number;
  projectId: number | null;
  title: string;
  content: string;
  type: MemoryType;
  provenance: Provenance;
  /** 0 to 10. */
  importance: number;
  isShared: boolean;
  archivedAt: Date | null;
  supersededById: number | null;
  accessCount: number;
  tags: string[];
  createdAt: Date;
  /** The model of its vector, where it should have one. */
  embeddingModel?: string | null;
}

export interface Link {
  fromMemoryId: number;
  toMemoryId: number;
  type: LinkType;
  /** 0 to 1. */
  strength: number;
}

/** Who looks: nobody in particular with 0. */
export interface Looks {
  tenantId: number;
  identityId: number;
}

/** The documents, which alone decide what may be shown. */
export interface Documents<Doc extends Remembered = Remembered> {
  /** Those of the ids that are there, in any order. */
  load(tenantId: number, ids: readonly number[]): Promise<Doc[]>;
  /** Links from or to any of the ids, but for those whose other end only another identity may see. */
  links(looks: Looks, ids: readonly number[], most: number): Promise<Link[]>;
}

/** Where memories are found: two indexes, which can be made again from the documents, and what reads meaning. */
export interface Indexes {
  vectors: Vectors;
  words: Words;
  embedder: Embedder;
  /** The embedder of a model that was set before, where it can still be asked. */
  formerEmbedder(model: string): Embedder | null;
  /** Kinds whose vectors were lost and are being made again. */
  refilling?: Set<string>;
  /** Leaves nothing on the disk of what was deleted before; absent where the store does not say when that is so. */
  scrub?(): Promise<void>;
}

/** What memories are called in the indexes. */
export const memoryKind = 'memories';
