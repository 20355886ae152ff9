// Counters of the stream layer, read by the metrics page.

export interface StreamMetrics {
  /** Events published, counted once regardless of the number of topics. */
  published: number;
  /** Publications that failed or were refused. */
  refused: number;
  /** Events sent to connections. */
  delivered: number;
  bytesOut: number;
  /** Subscriptions that had to read the store. */
  catchUps: number;
  /** `stream.gap` events sent. */
  gaps: number;
  /** Connections closed because they stalled. */
  stalled: number;
  /** Connections refused by a limit. */
  limited: number;
  opened: number;
  closed: number;
}

/** Counters that start at zero. */
export const createStreamMetrics = (): StreamMetrics => ({
  published: 0,
  refused: 0,
  delivered: 0,
  bytesOut: 0,
  catchUps: 0,
  gaps: 0,
  stalled: 0,
  limited: 0,
  opened: 0,
  closed: 0,
});
