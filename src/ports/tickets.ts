// Where single-use tickets of sockets are held until somebody redeems them.

export interface TicketStore {
  /** Keeps a text under a name for `ttlMs`. */
  put(name: string, value: string, ttlMs: number): Promise<void>;
  /** Redeems it: only the first caller gets the text, and only before it expires. */
  take(name: string): Promise<string | null>;
}
