// Breakpoints of a tree of runs: listed, set and removed. They stand in the tree's document, so that each is one write.
import { Fault } from '../../../src/kernel/fault.ts';
import type { EventDraft } from '../../records.ts';
import {
  appliesTo,
  type Breakpoint,
  type BreakpointDraft,
  breakpointOf,
  mostBreakpoints,
  sayBreakpoint,
} from '../../state/breakpoints.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';
import { treeOf } from '../records/known-trees.ts';
import { updateTree } from './trees.ts';

/** Breakpoints that apply to a run, oldest first. */
export async function breakpointsOf(core: Core, runId: number): Promise<Breakpoint[]> {
  const run = await runOf(core, runId);
  const { breakpoints = [] } = await treeOf(core, run.rootRunId);
  return breakpoints.filter((one) => appliesTo(one, run));
}

/** Sets a breakpoint; one that is set already stays as it is. */
export async function setBreakpoint(
  core: Core,
  runId: number,
  draft: BreakpointDraft,
  by: string | null,
): Promise<Breakpoint> {
  const run = await runOf(core, runId);
  const wanted = breakpointOf(runId, draft, by, core.clock.now());
  const isSame = ({ id }: Breakpoint) => id === wanted.id;
  const changed = await updateTree(core, run.rootRunId, ({ breakpoints = [] }) => {
    if (breakpoints.some(isSame)) return null;
    if (breakpoints.length >= mostBreakpoints)
      throw new Fault('CONFLICT', `The tree of run ${runId} has ${mostBreakpoints} breakpoints, which is the most.`, {
        hint: 'Remove one, or set one with a name that ends in * in place of several.',
      });
    return { breakpoints: [...breakpoints, wanted] };
  });
  if (!changed) return (await breakpointsOf(core, runId)).find(isSame) ?? wanted;
  await tell(core, runId, 'Breakpoint set', wanted, by);
  return wanted;
}

/** Removes a breakpoint that applies to the run. A call that waits at it goes on waiting for its decision. */
export async function removeBreakpoint(core: Core, runId: number, id: string, by: string | null): Promise<void> {
  const run = await runOf(core, runId);
  let removed: Breakpoint | undefined;
  await updateTree(core, run.rootRunId, ({ breakpoints = [] }) => {
    removed = breakpoints.find((one) => one.id === id && appliesTo(one, run));
    return removed ? { breakpoints: breakpoints.filter((one) => one.id !== id) } : null;
  });
  if (!removed)
    throw new Fault('NOT_FOUND', `Run ${runId} has no breakpoint ${id}.`, {
      hint: `List them with GET /api/agent/runs/${runId}/breakpoints.`,
    });
  await tell(core, runId, 'Breakpoint removed', removed, by);
}

async function tell(core: Core, runId: number, title: string, one: Breakpoint, by: string | null): Promise<void> {
  const { id, before, name, forTree } = one;
  const event: EventDraft = {
    type: 'Log',
    title,
    message: `It stops ${sayBreakpoint(one)}${forTree ? ', in every run of the tree' : ''}.`,
    payload: { breakpoint: { id, before, name, forTree, by } },
  };
  await commit(core, runId, () => ({ events: [event] }));
}
