import { expect, test } from 'vitest';
import type { RunRecord, RunStatus } from '../records.ts';
import { Members } from '../state/members.ts';
import { runRecord, treeRecord } from '../testing/samples.ts';
import { runView } from './run.ts';
import { inOrderOfView, runTextOf, runViewText } from './run-text.ts';

const statuses: RunStatus[] = [
  ...(['Pending', 'Queued', 'Running', 'WaitingForChildren', 'WaitingForDecision', 'Paused'] as const),
  ...(['BudgetExhausted', 'Completed', 'Failed', 'TimedOut', 'Cancelled'] as const),
];

/** A run whose fields all have values of their own. */
function full(status: RunStatus): RunRecord {
  const empty = runRecord({ id: 12, rootRunId: 11, status });
  const entries = Object.entries(empty).map(([name, value], at) => {
    if (value === null)
      return [name, name.endsWith('At') || name === 'activeSince' ? 1_790_000_000_000 + at : `${at}"`];
    return [name, value === 0 ? at : value];
  });
  const spentLimit = { limit: 'maxTokens', needed: 5 };
  return { ...Object.fromEntries(entries), inbox: [{ goal: 'no' }], spentLimit, waiting: [], modelCall: null };
}

const documentOf = ({ id, ...fields }: RunRecord, more: object = {}) =>
  JSON.stringify({ _id: id, ...fields, outbox: null, dirty: false, ...more });

const member = { depth: 0, identityId: 1, key: null, stop: null, ended: false, active: true };
const tree = treeRecord({
  id: 11,
  tokensUsed: 70,
  costUsd: 0.5,
  costBudgetUsd: 2,
  members: Members.of({
    11: { ...member, parent: null, tokens: 1, costUsd: 0.1 },
    12: { ...member, parent: 11, tokens: 2, costUsd: 0.2 },
    13: { ...member, parent: 12, tokens: 4, costUsd: 0.4 },
  }),
});

test('the text of a document is the view of its run, in each status, with its tree and without', () => {
  for (const status of statuses) {
    for (const run of [
      full(status),
      runRecord({ id: 12, rootRunId: 11, status }),
      { ...full(status), importedAt: 7 },
    ]) {
      const text = runTextOf(documentOf(run, { ratings: 1 }));
      // What a run lacks is not in the text of a list.
      expect(text === null).toBe(status === 'BudgetExhausted');
      for (const its of [tree, undefined])
        expect(runViewText(text ?? run, its)).toBe(JSON.stringify(runView(run, its)));
    }
  }
});

test('a document in the order of the view shows the same, with the same fields', () => {
  const { id, ...fields } = full('Completed');
  const document = { ...fields, outbox: null, _id: id, ratings: 1 };
  const ordered = inOrderOfView(document);
  expect(ordered).toEqual(document);
  expect(Object.keys(ordered).slice(0, 5)).toEqual(['_id', 'guid', 'projectId', 'taskId', 'taskTitle']);
  const text = runTextOf(JSON.stringify(ordered))!;
  expect(runViewText(text, tree)).toBe(JSON.stringify(runView({ id, ...fields }, tree)));
});
