// Where single-use tickets of sockets are held until somebody redeems them.

export interface TicketStore {
  /** Keeps a text under a name for `ttlMs`. */
  put(name: string, value: string, ttlMs: number): Promise<void>;
  /** Takes it out: only the first caller gets it, and nobody after its time. */
  take(name: string): Promise<string | null>;
}
