// Where answers to requests with an Idempotency-Key are kept, so that a repeated request is answered and not carried out again.

export interface KeptAnswer {
  status: number;
  body: string;
}

export type Claim =
  /** Nobody has made this request: carry it out, then `complete` or `release`. */
  | { state: 'claimed' }
  /** It is being carried out at this moment. */
  | { state: 'running' }
  | { state: 'done'; answer: KeptAnswer }
  /** The key was used for a different request. */
  | { state: 'mismatch' };

export interface IdempotencyStore {
  /** `name` is unique for caller, operation and key; `fingerprint` for the request's content. */
  claim(name: string, fingerprint: string): Promise<Claim>;
  complete(name: string, answer: KeptAnswer): Promise<void>;
  /** The request failed: the key may be used again. */
  release(name: string): Promise<void>;
}
