// Fences: the highest token seen in each scope, so that a writer without ownership is refused.
import type { LRUCache } from 'lru-cache';
import { Fault } from '../../kernel/fault.ts';
import { createLru } from '../../kernel/lru.ts';
import type { Fence } from '../../ports/stream.ts';

/** Limit of remembered scopes; one process never has more owners at once. */
const scopes = 20_000;

export interface Fences {
  /** Records the token; returns the refusal when a higher one was seen. */
  check(fence: Fence): Fault | null;
}

/** Fencing tokens of one process. */
export function createFences(): Fences {
  // The cache allocates all its scopes at once, so it is created on first use.
  let tokens: LRUCache<string, number> | null = null;
  return {
    check({ scope, token }) {
      tokens ??= createLru(scopes);
      const highest = tokens.get(scope) ?? Number.NEGATIVE_INFINITY;
      if (token < highest) return staleWriter(scope);
      if (token > highest) tokens.set(scope, token);
      return null;
    },
  };
}

/** The refusal of a writer with a superseded token. */
export function staleWriter(scope: string): Fault {
  return new Fault('ALREADY_CLAIMED', `Another owner has taken over ${scope}.`, {
    hint: 'Stop writing and let the new owner go on.',
  });
}
