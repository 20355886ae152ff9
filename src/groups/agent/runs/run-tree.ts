// The runs below a run.
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunStore } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { descendants } from '../../../../runtime/state/pool.ts';

/** Every descendant, parents before their children. */
export async function runTree(engine: Engine, store: RunStore, run: RunRecord): Promise<RunRecord[]> {
  const tree = await engine.tree(run.rootRunId);
  const below = descendants(tree, run.id).filter((id) => id !== run.id);
  return below.length > 0 ? store.runs.many(below) : [];
}
