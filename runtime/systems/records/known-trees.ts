// Cache of trees: read on demand, and kept for views.
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

/** Trees with settlements in flight applied, cached so that a wide tree is not copied for each view. */
const settled = new WeakMap<TreeRecord, { owed: Owed; tree: TreeRecord }>();

/** A tree with the pool settlements in flight applied. */
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

/** Caches the newest state of a tree for views. */
export function remember(core: Core, tree: TreeRecord): void {
  const known = core.trees.get(tree.id);
  core.trees.delete(tree.id);
  core.trees.set(tree.id, known && known.version > tree.version ? known : tree);
  if (core.trees.size <= treesKept) return;
  const oldest = core.trees.keys().next().value!;
  core.trees.delete(oldest);
  core.toldQuiet.delete(oldest);
}

/** Limit of cached trees, least recently used first out; others are read again on demand. */
const treesKept = 2000;
