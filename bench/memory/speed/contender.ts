// What is measured: a store that is filled with made-up memories, and then asked and written to.
export interface Contender {
  /** Whether it answers quicker once it has been asked some hundred times. */
  hasCaches: boolean;
  fill(count: number, tenants: number): Promise<void>;
  /** What a server does in its first moments, before it is asked; absent where it does nothing. */
  warm?(): Promise<void>;
  /** Ten hits for a question of six words. */
  search(tenantId: number): Promise<unknown>;
  /** A write, acknowledged when it is on the disk; absent where writes stay in memory. */
  write?(tenantId: number): Promise<unknown>;
  close(): Promise<void>;
}

/** Memories that are filled in at once. */
export const batch = 500;
