// What databases are asked, and what they answer.
export interface Statement {
  tenantId: number;
  text: string;
  values: Readonly<Record<string, unknown>>;
  /** True for one that may change something. */
  writes: boolean;
  mostRows: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Rows {
  rows: Record<string, unknown>[];
  /** True where there were more. */
  truncated: boolean;
  /** Rows that were changed; null for one that reads. */
  changed: number | null;
}
