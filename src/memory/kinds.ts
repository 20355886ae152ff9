// Kinds of documents that are found by words and meaning, each with indexes of its own.

/** Index state in each document. */
export interface Findable {
  _id: number;
  tenantId: number;
  /** Model of its vector; null without a vector, or with an outdated one. */
  embeddingModel: string | null;
  /** Revision of the indexed fields, so that slow work does not settle a document that changed meanwhile. */
  revision: number;
  /** True while the indexes wait for a write: the intent of each change, until the background work is done. */
  pending: boolean;
  /** Name of the key that its text is encrypted with; null or absent where it is not. */
  sealedBy?: string | null;
}

export interface Kind<Doc> {
  /** Name of the kind in the indexes. */
  name: string;
  /** Text that is embedded and indexed. */
  textOf(doc: Doc): string;
  /** Scopes in which the document can be found. */
  scopesOf(doc: Doc): string[];
}

/** State of a new document, which waits for its vector. */
export const unindexed = { pending: true, revision: 1, embeddingModel: null } as const;

/** State of a document whose text has changed. */
export const reworded = ({ revision }: Pick<Findable, 'revision'>) => ({
  pending: true,
  revision: revision + 1,
  embeddingModel: null,
});
