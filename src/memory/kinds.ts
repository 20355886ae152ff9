// Kinds of documents that are found by words and by meaning, each in indexes of its own.

/** What a document carries so that its indexes follow it. */
export interface Findable {
  _id: number;
  tenantId: number;
  /** The model of its vector; null while it has none, or an outdated one. */
  embeddingModel: string | null;
  /** Grows with each change of what is indexed, so that slow work does not settle what has changed meanwhile. */
  revision: number;
  /** Its indexes are to be written: the intent of each write, until the background work has done it. */
  pending: boolean;
}

export interface Kind<Doc> {
  /** What the documents are called in the indexes. */
  name: string;
  /** What is embedded and indexed. */
  textOf(doc: Doc): string;
  /** The sets of documents that it can be found in. */
  scopesOf(doc: Doc): string[];
}

/** A new document, which waits for its vector. */
export const unindexed = { pending: true, revision: 1, embeddingModel: null } as const;

/** A document whose text has changed. */
export const reworded = ({ revision }: Pick<Findable, 'revision'>) => ({
  pending: true,
  revision: revision + 1,
  embeddingModel: null,
});
