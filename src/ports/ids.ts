// Numbers for documents: unique per name across processes, never given twice, in the order of time but for a second; gaps may appear.

export interface Ids {
  /**
   * The next id of a series, e.g. `runs`; a positive integer below 2^53. Of two processes that ask within a second the
   * later one may get the smaller number.
   *
   * @param above - a number of the series that the next one has to exceed
   */
  next(series: string, above?: number): Promise<number>;
}
