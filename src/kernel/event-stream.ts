// What keeps an event stream open that has nothing to say: proxies cut silent answers, most after a minute.

/** Milliseconds between two comments; a quarter of what proxies wait for. */
export const beatMs = 15_000;
/** A line, no block of its own: some clients take each blank line for an event. */
export const ping = ': ping\n';
