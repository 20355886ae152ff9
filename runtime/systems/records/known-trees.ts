// Trees as this process last saw them: read when they are needed, and kept for views.
import { Fault } from '../../../src/kernel/fault.ts';
import { settle } from '../../state/pool.ts';
import type { TreeRecord } from '../../state/tree.ts';
import type { Core, Owed } from './core.ts';

/** The tree of a root run. */
export async function treeOf(core: Core, rootRunId: number): Promise<TreeRecord> {
  const tree = await core.store.trees.get(rootRunId);
  if (!tree)
    throw new Fault('NOT_FOUND', `There is no run tree ${rootRunId}.`, {
      hint: 'List runs with GET /api/agent/runs?rootsOnly=true.',
    });
  remember(core, tree);
  return tree;
}

/** Trees as they will be, each with the settlements that it was worked out for: a wide tree is not copied for each view. */
const settled = new WeakMap<TreeRecord, { owed: Owed; tree: TreeRecord }>();

/** A tree as it will be once the pool settlements in flight are made. */
export function treeNow(core: Pick<Core, 'trees' | 'owed'>, rootRunId: number): TreeRecord | undefined {
  const tree = core.trees.get(rootRunId);
  const owed = core.owed.get(rootRunId);
  if (!tree || !owed) return tree;
  const known = settled.get(tree);
  if (known?.owed === owed) return known.tree;
  const next = { ...tree, ...settle(tree, owed.values()) };
  settled.set(tree, { owed, tree: next });
  return next;
}

/** Keeps the newest state of a tree for views. */
export function remember(core: Core, tree: TreeRecord): void {
  const known = core.trees.get(tree.id);
  core.trees.delete(tree.id);
  core.trees.set(tree.id, known && known.version > tree.version ? known : tree);
  if (core.trees.size <= treesKept) return;
  const oldest = core.trees.keys().next().value!;
  core.trees.delete(oldest);
  core.toldQuiet.delete(oldest);
}

/** Trees kept in memory at most, the latest used; the others are read again when they are needed. */
const treesKept = 2000;
