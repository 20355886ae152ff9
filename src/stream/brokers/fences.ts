// Remembers the highest token seen in each scope, so that a writer that lost its ownership is refused.
import { LRUCache } from 'lru-cache';
import { Fault } from '../../kernel/fault.ts';
import type { Fence } from '../../ports/stream.ts';

/** Scopes remembered; owners of more at once do not exist in one process. */
const scopes = 100_000;

export interface Fences {
  /** Takes note of the token; the refusal when a higher one was seen. */
  check(fence: Fence): Fault | null;
}

/** Fencing tokens of one process. */
export function createFences(): Fences {
  // It takes room for all its scopes at once; not every process has owners.
  let tokens: LRUCache<string, number> | null = null;
  return {
    check({ scope, token }) {
      tokens ??= new LRUCache({ max: scopes });
      const highest = tokens.get(scope) ?? Number.NEGATIVE_INFINITY;
      if (token < highest) return staleWriter(scope);
      if (token > highest) tokens.set(scope, token);
      return null;
    },
  };
}

/** The refusal of a writer whose token was superseded. */
export function staleWriter(scope: string): Fault {
  return new Fault('ALREADY_CLAIMED', `Another owner has taken over ${scope}.`, {
    hint: 'Stop writing and let the new owner go on.',
  });
}
