// Programs of tenants that the server starts in sandboxes and speaks with line by line, such as MCP servers.

export interface ProgramSpec {
  /** Whose it is: programs with one name share a folder, which stays. */
  tenantId: number;
  name: string;
  /** As a shell reads it. */
  command: string;
  /** Added to an otherwise empty environment. */
  env: Readonly<Record<string, string>>;
  onLine(line: string): void;
  /** The program has ended; `why` has its last lines of standard error. */
  onEnd(why: string): void;
}

export interface Program {
  /** @throws Fault NOT_READY once it has ended */
  write(line: string): Promise<void>;
  /** Ends it and its sandbox. */
  end(): Promise<void>;
}

export interface Programs {
  /** @throws Fault NOT_CONFIGURED where no sandbox works: nothing runs without one */
  start(spec: ProgramSpec): Promise<Program>;
}
