// The steps of two runs beside each other: which are the same, and where the runs part.
import { diffArrays } from 'diff';
import type { Entry, ToolCall, Turn } from '../timeline/timeline.ts';

/** What a model said, or a call of a tool. */
export type Step = Turn | ToolCall;

export interface Row {
  kind: 'same' | 'different';
  left: Step | null;
  right: Step | null;
}

/** Steps in order; lines about the run itself are none. */
export const stepsOf = (entries: readonly Entry[]): Step[] => entries.filter((entry) => entry.kind !== 'line');

/** Arguments with their keys in order: models write the same call in several ways. */
function inOrder(json: string): string {
  const sorted = (_key: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  try {
    return JSON.stringify(JSON.parse(json), sorted);
  } catch {
    return json;
  }
}

/** Same keys, same step. Times, costs, models and ids of calls do not count. */
const keyOf = (step: Step): string =>
  step.kind === 'turn'
    ? JSON.stringify(['turn', step.state, step.text])
    : JSON.stringify(['tool', step.state, step.name, inOrder(step.args), step.result]);

/** An alignment that takes longer is given up: what follows the parting then stands beside each other by place, ms. */
const longestMs = 500;

/** Rows of both runs; a step that only one has stands alone. */
export function align(left: readonly Step[], right: readonly Step[]): Row[] {
  const [before, after] = [left.map(keyOf), right.map(keyOf)];
  const changes = diffArrays(before, after, { timeout: longestMs }) ?? byPlace(before, after);
  const rows: Row[] = [];
  let [l, r] = [0, 0];
  for (let index = 0; index < changes.length; index++) {
    const change = changes[index];
    if (!change) break;
    if (!change.removed && !change.added) {
      for (const _ of change.value) rows.push({ kind: 'same', left: left[l++] ?? null, right: right[r++] ?? null });
      continue;
    }
    // What was removed and what was added in its place stand beside each other.
    const next = changes[index + 1];
    const replaced = next && next.removed !== change.removed && next.added !== change.added ? next : null;
    if (replaced) index += 1;
    const both = [change, replaced];
    const gone = both.find((one) => one?.removed)?.value.length ?? 0;
    const come = both.find((one) => one?.added)?.value.length ?? 0;
    for (let at = 0; at < Math.max(gone, come); at++)
      rows.push({
        kind: 'different',
        left: at < gone ? (left[l++] ?? null) : null,
        right: at < come ? (right[r++] ?? null) : null,
      });
  }
  return rows;
}

function byPlace(before: string[], after: string[]) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  return [
    { value: before.slice(0, same), removed: false, added: false },
    { value: before.slice(same), removed: true, added: false },
    { value: after.slice(same), removed: false, added: true },
  ];
}

/** Index of the first row that differs; -1 where the runs are the same. */
export const partingOf = (rows: readonly Row[]): number => rows.findIndex(({ kind }) => kind === 'different');
