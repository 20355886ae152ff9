// Ports of memory: the documents, their indexes, and the embedder.
import type { LinkType, MemoryType, Provenance } from '../contract/enums.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Vectors } from '../ports/vectors.ts';
import type { Words } from '../ports/words.ts';

/** Fields of a memory that a search needs. */
export interface Remembered {
  _id: number;
  tenantId: number;
  identityId: number;
  projectId: number | null;
  title: string;
  content: string;
  type: MemoryType;
  provenance: Provenance;
  /** Importance, 0 to 10. */
  importance: number;
  isShared: boolean;
  archivedAt: Date | null;
  supersededById: number | null;
  accessCount: number;
  tags: string[];
  createdAt: Date;
  /** Model of its vector, where it should have one. */
  embeddingModel?: string | null;
}

/** Fields of a memory that rank it and say who may see it: all but its texts. */
export type Ranked = Omit<Remembered, 'title' | 'content' | 'tags'>;

export interface Link {
  fromMemoryId: number;
  toMemoryId: number;
  type: LinkType;
  /** 0 to 1. */
  strength: number;
}

/** Identity that searches; 0 for none. */
export interface Looks {
  tenantId: number;
  identityId: number;
}

/** Port of the documents, which alone decide what may be shown. */
export interface Documents<Doc extends Remembered = Remembered> {
  /** Existing documents among the ids, in any order. */
  load(tenantId: number, ids: readonly number[]): Promise<Doc[]>;
  /** What ranks the existing documents among the ids, in any order. */
  ranked(tenantId: number, ids: readonly number[]): Promise<Ranked[]>;
  /** Links from or to any of the ids, without those whose other end belongs to another identity alone. */
  links(looks: Looks, ids: readonly number[], most: number): Promise<Link[]>;
  /** Says that an identity searches: its memories may be read ahead. Settles when they are, or soon after an abort; never rejects. */
  expect?(looks: Looks, signal?: AbortSignal): Promise<void>;
}

/** Indexes of memories, which can be rebuilt from the documents, and the embedder. */
export interface Indexes {
  vectors: Vectors;
  words: Words;
  embedder: Embedder;
  /** Embedder of an earlier model, where it is still available. */
  formerEmbedder(model: string): Embedder | null;
  /** Kinds whose vectors were lost and are being rebuilt. */
  refilling?: Set<string>;
  /** Key that encrypts texts, where their documents ask for it; without one nothing is encrypted. */
  seals?: Seals;
  /** Erases deleted data from the disk; absent where the store cannot tell when that is done. */
  scrub?(): Promise<void>;
}

export interface Seals {
  /** Name of the key that encrypts now. */
  readonly keyId: string;
  /** Names of all keys that can decrypt. */
  readonly keyIds: readonly string[];
  /** Digest of a text that only the holder of the tenant's key can make. */
  digest(tenantId: number, text: string): string;
}

/** Name of memories in the indexes. */
export const memoryKind = 'memories';
