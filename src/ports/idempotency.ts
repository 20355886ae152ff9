// Where answers to requests with an Idempotency-Key are kept, so that a repeated request is answered and not carried out again.
import type { OnceScope } from './once.ts';

export interface KeptAnswer {
  status: number;
  body: string;
}

/** The right to carry a request out. */
export interface Attempt {
  scope: OnceScope;
  complete(answer: KeptAnswer): Promise<void>;
  /** The request failed: the key may be used again. */
  release(): Promise<void>;
}

export type Claim =
  /** This process carries the request out: do it, then `complete` or `release`. */
  | { state: 'claimed'; attempt: Attempt }
  /** The request is in progress. */
  | { state: 'running' }
  | { state: 'done'; answer: KeptAnswer }
  /** The key was used for a different request. */
  | { state: 'mismatch' };

export interface IdempotencyStore {
  /**
   * `name` is unique for caller, operation and key; `fingerprint` for the request's content. A claim whose process has
   * died is given to the next who asks, at once on the embedded store, else within seconds.
   */
  claim(name: string, fingerprint: string): Promise<Claim>;
  close(): Promise<void>;
}
