// The view of a run as JSON text, from the text of its document.
import { createTextCuts, type Member } from '../../src/kernel/text-cuts.ts';
import type { RunRecord } from '../records.ts';
import type { TreeRecord } from '../state/tree.ts';
import { type RunView, runView, treeFigures } from './run.ts';

/** A run in a list: texts of its view, between which stand the figures of its tree. */
export interface RunText {
  id: number;
  rootRunId: number;
  tokensUsed: number;
  costUsd: number;
  parts: readonly string[];
}

type Figure = keyof ReturnType<typeof treeFigures> | 'exhaustedBy';
type Name = Exclude<keyof RunView, Figure>;

/** Names as a view has them, up to the next figures of the tree. */
const names: readonly (readonly Name[])[] = [
  [
    ...(['id', 'guid', 'projectId', 'taskId', 'taskTitle', 'identityId', 'identityName', 'role'] as const),
    ...(['toolProfileName', 'roleDefinitionId', 'modelId', 'reasoningEffort', 'parentRunId'] as const),
    ...(['sandboxContainerId', 'reviewBranch', 'reviewBaseSha', 'reviewWorktreePath', 'spawnDepth', 'goal'] as const),
    ...(['status', 'failureReason', 'startedAtUtc', 'completedAtUtc', 'progressSummary', 'staleStepCount'] as const),
    ...(['maxIterations', 'maxTokens', 'maxWallClockMs', 'iterationsUsed', 'tokensUsed'] as const),
    ...(['contextBudgetTokens', 'contextUsedTokens'] as const),
  ],
  ['treeDeadlineUtc', 'promptTokens', 'completionTokens', 'costUsd'],
  ['outputPath', 'contractDeliverable', 'contractDestination', 'interactionThreadId'],
  ['eventCount', 'createdAtUtc'],
  ['activeMs', 'activeSinceUtc'],
  ['importedAtUtc'],
];

const stored: Partial<Record<Name, string>> = {
  id: '_id',
  treeDeadlineUtc: 'treeDeadlineAt',
  activeSinceUtc: 'activeSince',
};

function memberOf(name: Name): Member {
  const isTime = name.endsWith('Utc');
  const from = stored[name] ?? name.replace(/Utc$/, '');
  return { name, from, isTime, orNull: name === 'importedAtUtc' };
}

const members = names.map((part) => part.map(memberOf));
const shownFirst = [...members.flat().map(({ from }) => from), 'rootRunId'];

/**
 * The same fields, in front those that a view shows and in its order: a list then takes them from the document's text in
 * few pieces, and leaves the rest unread. A document keeps the order in which it was made.
 */
export function inOrderOfView<T extends object>(document: T): T {
  const ordered: Record<string, unknown> = {};
  for (const name of shownFirst) if (name in document) ordered[name] = document[name as keyof T];
  return Object.assign(ordered, document) as T;
}

const cuts = createTextCuts({
  parts: members,
  told: ['_id', 'rootRunId', 'tokensUsed', 'costUsd', 'status'],
});

/** Null for a document whose run must be decoded. */
export function runTextOf(document: string): RunText | null {
  const found = cuts(document);
  if (!found) return null;
  const [id, rootRunId, tokensUsed, costUsd, status] = found.told;
  // What it lacks says more of it than a list's text has.
  if (status === '"BudgetExhausted"') return null;
  return {
    id: Number(id),
    rootRunId: Number(rootRunId),
    tokensUsed: Number(tokensUsed),
    costUsd: Number(costUsd),
    parts: found.parts,
  };
}

/** JSON of `runView`. */
export function runViewText(run: RunRecord | RunText, tree: TreeRecord | null | undefined): string {
  if (!('parts' in run)) return JSON.stringify(runView(run, tree));
  const [own, spent, asked, told, active, imported] = run.parts;
  const now = treeFigures(run, tree);
  const pool = `"poolIterationBudget":${now.poolIterationBudget},"poolIterationsUsed":${now.poolIterationsUsed},"poolTokenBudget":${now.poolTokenBudget},"poolTokensUsed":${now.poolTokensUsed}`;
  const total = `"totalTokensWithChildren":${now.totalTokensWithChildren},"totalCostWithChildren":${now.totalCostWithChildren}`;
  const cost = `"poolCostBudgetUsd":${now.poolCostBudgetUsd},"poolCostUsedUsd":${now.poolCostUsedUsd}`;
  return `{${own},${pool},${spent},${total},${asked},"childRunCount":${now.childRunCount},${told},${cost},${active},"exhaustedBy":null,${imported}}`;
}
