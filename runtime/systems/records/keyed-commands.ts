// Commands with an idempotency key: carried out once, however often they are repeated.

import type { RunChange } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { hasMark, withMarks } from '../../state/marks.ts';

export interface Keyed {
  /** Idempotency key: a repeat returns the present state and changes nothing. */
  key?: string | null;
}

const markOf = (key: string) => `asked:${key}`;

/** Whether a command with this key was carried out on the run. */
export const wasAsked = (run: RunRecord, { key }: Keyed): boolean => key != null && hasMark(run.seen, markOf(key));

/** The change with the mark of its command's key. */
export function asAsked(run: RunRecord, { key }: Keyed, change: RunChange): RunChange {
  if (key == null) return change;
  const seen = change.set?.seen ?? run.seen;
  return { ...change, set: { ...change.set, seen: withMarks(seen, markOf(key)) } };
}
