// Turns texts into vectors of their meaning.

export interface Embedder {
  /** The id of its model, kept with each vector: vectors of different models cannot be compared. */
  readonly model: string;
  /** Default weights of meaning and words in a search. */
  readonly weights: { readonly semantic: number; readonly keyword: number };
  /** Whether it knows the script of a text; what it does not know is found by its words alone. */
  reads(text: string): boolean;
  /**
   * Vectors of length 1, in the order of the texts. A question goes before documents that wait.
   *
   * @throws Fault EMBEDDING_UNAVAILABLE, or that of the provider
   */
  embed(tenantId: number, texts: readonly string[], what: 'question' | 'document'): Promise<Float32Array[]>;
  /** Ends its thread; the next request starts it again. */
  close(): Promise<void>;
}
