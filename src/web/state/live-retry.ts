// How soon a visible page tries its lost connection again: so soon that it notices at once that the server is back.

/** Delays, ms; the longest is how long "Offline" can stay after the server is back. */
export const liveRetry = { minMs: 300, maxMs: 2000 };
