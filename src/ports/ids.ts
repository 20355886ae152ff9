// Numbers for documents: unique per name across processes, growing, never given twice; gaps may appear.

export interface Ids {
  /** The next id of a series, e.g. `runs`; a positive integer below 2^53. */
  next(series: string): Promise<number>;
}
