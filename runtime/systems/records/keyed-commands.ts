// Commands with a key: carried out once, however often they are repeated.
import type { RunChange } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';

export interface Keyed {
  /** The same key is carried out once; a repeat is answered with how things are now. */
  key?: string | null;
}

const markOf = (key: string) => `asked:${key}`;

/** Whether a command with this key was carried out on the run. */
export const wasAsked = (run: RunRecord, { key }: Keyed): boolean => key != null && run.seen.includes(markOf(key));

/** The change with the mark of the command that it carries out. */
export function asAsked(run: RunRecord, { key }: Keyed, change: RunChange): RunChange {
  if (key == null) return change;
  const seen = change.set?.seen ?? run.seen;
  return { ...change, set: { ...change.set, seen: [...seen, markOf(key)] } };
}
