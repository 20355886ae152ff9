// How far an action on a run goes: said before it is done, and after.
import type { RunActionResultDto } from '../../../client/index.ts';
import { plural } from '../../base/i18n.ts';
import { hasEnded } from '../../state/runs.ts';
import type { Tree } from '../../state/tree.ts';
import { say } from '../../ui/toast.tsx';

/** The run and all below it that have not ended: what a cancel will reach. */
export function reach(tree: Tree, id: number): { runs: number; sandboxes: number } {
  let runs = 0;
  let sandboxes = 0;
  for (const view of tree.runs.values()) {
    if (!view.run || hasEnded(view.run)) continue;
    let at: number | null = view.id;
    while (at !== null && at !== id) at = tree.runs.get(at)?.run?.parentRunId ?? null;
    if (at === null) continue;
    runs += 1;
    if (view.run.sandboxContainerId) sandboxes += 1;
  }
  return { runs, sandboxes };
}

export function sayReached(title: string, result: RunActionResultDto) {
  say(
    title,
    plural(result.affectedRunIds.length, 'It reached {n} run: {ids}', 'It reached {n} runs: {ids}').replace(
      '{ids}',
      result.affectedRunIds.map((id) => `#${id}`).join(', '),
    ),
  );
}
