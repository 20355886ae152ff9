// Numbers for documents: unique per name across processes, growing within each of them, never given twice; gaps may appear.

export interface Ids {
  /**
   * The next id of a series, e.g. `runs`; a positive integer below 2^53. Several processes take numbers in turns of many:
   * one that has to be larger than a number of the series that another process may have taken names that one.
   */
  next(series: string, above?: number): Promise<number>;
}
