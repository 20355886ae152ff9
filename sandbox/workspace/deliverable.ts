// Check of a run's deliverable contract.
import { Fault } from '../../src/kernel/fault.ts';
import type { Author } from './commits.ts';
import type { MergeOutcome } from './merge.ts';
import type { Workspace } from './workspace.ts';

const deliverableKinds = ['file', 'branch', 'doc', 'message', 'fact', 'task'] as const;
type DeliverableKind = (typeof deliverableKinds)[number];

export interface Contract {
  /** Description of the deliverable. */
  deliverable: string | null;
  /** Destination `kind:target`, e.g. `file:report.md`, `branch:main`, `doc:release-notes`; a bare target is a file. */
  destination: string | null;
}

/** Fits `DeliverableCheckDto`. */
export interface DeliverableCheck extends Contract {
  hasContract: boolean;
  kind: DeliverableKind | 'none';
  met: boolean;
  detail: string | null;
}

/** Judges kinds that live outside the workspace: docs, messages, facts, tasks. */
export type DeliverableHook = (
  kind: Exclude<DeliverableKind, 'file' | 'branch'>,
  target: string,
) => Promise<{ met: boolean; detail: string }>;

/** Kind and target of a destination. */
export function parseDestination(destination: string): { kind: DeliverableKind; target: string } {
  const [, prefix, rest] = /^([a-z]+):(.*)$/s.exec(destination.trim()) ?? [];
  const kind = deliverableKinds.find((one) => one === prefix);
  return kind ? { kind, target: (rest as string).trim() } : { kind: 'file', target: destination.trim() };
}

/**
 * Checks a contract. A file is met when it exists, is not empty and differs from the run's base; a branch when
 * it contains the run's commits or can take them; every other kind as the hook decides.
 */
export async function checkDeliverable(
  contract: Contract,
  workspace: Workspace | null,
  hook: DeliverableHook,
): Promise<DeliverableCheck> {
  const { deliverable, destination } = contract;
  if (!deliverable && !destination) {
    return { ...contract, hasContract: false, kind: 'none', met: true, detail: null };
  }
  if (!destination) {
    const detail = 'The contract names no destination, so nothing can be checked; finishing is enough.';
    return { ...contract, hasContract: true, kind: 'none', met: true, detail };
  }
  const { kind, target } = parseDestination(destination);
  const verdict = await judge(kind, target, workspace, hook);
  return { ...contract, hasContract: true, kind, ...verdict };
}

function judge(kind: DeliverableKind, target: string, workspace: Workspace | null, hook: DeliverableHook) {
  switch (kind) {
    case 'file':
      return workspace ? judgeFile(target, workspace) : unmet('The run has no workspace.');
    case 'branch':
      return workspace ? judgeBranch(target, workspace) : unmet('The run has no workspace.');
    case 'doc':
    case 'message':
    case 'fact':
    case 'task':
      return hook(kind, target);
    default:
      return kind satisfies never;
  }
}

const unmet = (detail: string) => Promise.resolve({ met: false, detail });

async function judgeFile(target: string, workspace: Workspace): Promise<{ met: boolean; detail: string }> {
  try {
    const { sizeBytes, isDirectory, path } = await workspace.files.info(target);
    if (isDirectory) return { met: false, detail: `${path} is a folder.` };
    if (sizeBytes === 0) return { met: false, detail: `${path} is empty.` };
    const changed = await workspace.diff({ path, statOnly: true });
    if (changed.filesChanged === 0) return { met: false, detail: `${path} is as it was before the run.` };
    return { met: true, detail: `${path}, ${sizeBytes} bytes.` };
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'NOT_CONFIGURED') throw error;
    return { met: false, detail: error.message };
  }
}

/**
 * Judges a branch. The run's own must hold a change; any other receives the work when the run completes, so that until
 * then it is enough that this merge would succeed.
 */
async function judgeBranch(target: string, workspace: Workspace): Promise<{ met: boolean; detail: string }> {
  const { store, branch, baseSha } = workspace;
  const head = await workspace.head();
  if (head === baseSha) return { met: false, detail: 'The run has committed nothing yet.' };
  if (target === branch) return { met: true, detail: `${head.slice(0, 12)} on ${target}.` };
  if (!isTarget(target)) return { met: false, detail: `Work cannot be delivered to a branch ${target}.` };
  const tip = await store.head(target);
  if (!tip) return { met: true, detail: `${target} will begin at ${head.slice(0, 12)}.` };
  const outcome = await store.mergeCommits(tip, head, 'Trial', { name: 'trial', email: 'trial@rivulet.invalid' });
  switch (outcome.status) {
    case 'up-to-date':
      return { met: true, detail: `Found ${head.slice(0, 12)} on ${target}.` };
    case 'merged':
      return { met: true, detail: `${head.slice(0, 12)} can be merged into ${target}.` };
    case 'conflicts':
      return {
        met: false,
        detail: `It contradicts ${target} in ${outcome.conflicts.map(({ path }) => path).join(', ')}.`,
      };
    default:
      return outcome satisfies never;
  }
}

/** Whether a branch may be a target: checked-out branches belong to their runs. */
const isTarget = (branch: string) =>
  !branch.startsWith('review/') && /^[\w][\w/-]*(\.[\w/-]+)*$/.test(branch) && !/\/\/|\/$|\.lock$/.test(branch);

/** Merges a completed run's commits into the branch of its contract; null when that names none. */
export async function deliverBranch(
  destination: string | null,
  workspace: Workspace,
  author: Author,
): Promise<{ target: string; outcome: MergeOutcome } | null> {
  const { kind, target } = parseDestination(destination ?? '');
  const { store, branch, key } = workspace;
  if (kind !== 'branch' || target === branch || !isTarget(target)) return null;
  const head = await workspace.head();
  if (await store.head(target)) return { target, outcome: await store.merge(target, head, `Merge ${key}`, author) };
  await store.setBranch(target, head);
  return { target, outcome: { status: 'merged', sha: head } };
}
