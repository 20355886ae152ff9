// Asks again by itself while the server is away: the one way in which pages wait for it.
import { isAway } from '../../client/index.ts';

/** How soon what did not reach the server is asked again, ms. */
export const askAgainMs = 2000;

const later = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/**
 * Calls `again` in a moment where a load failed because the server is away; after other errors nothing is asked again.
 * Answers how to wait no longer: for a load that is begun anew, another thing to show, and a page that is left.
 */
export const askAgain = (error: unknown, again: () => void, after = later): (() => void) =>
  isAway(error) ? after(askAgainMs, again) : () => {};
