// What the contest needs of a server that runs agents, ours or a peer.

export interface RunningServer {
  /** Processes whose CPU time is the server's. */
  pids(): readonly number[];
  /** One run from the request to its end; rejects unless it ended rightly. */
  run(): Promise<void>;
  /** Bytes that it keeps on the disk; none where all is in memory. */
  disk?(): number;
  stop(): Promise<void>;
}

export interface Contender {
  name: string;
  ours?: true;
  /** Its version, or why it cannot take part; may install it. */
  look(): { version: string } | { missing: string };
  /** Starts it against a provider at `http://…/v1`, for so many runs at once. */
  start(provider: string, atOnce: number): Promise<RunningServer>;
}
