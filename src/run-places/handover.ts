// Handover of an ended run's files: they are committed, and those of a completed run are merged where its work belongs.
import type { Handover } from '../../runtime/ports.ts';
import type { EventDraft, HandoverOutcome, RunRecord } from '../../runtime/records.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { whereabouts } from '../../sandbox/runs/tools.ts';
import type { MergeOutcome } from '../../sandbox/workspace/merge.ts';

/**
 * The engine's handover port over sandboxes. A repetition after a crash finds the first outcome and returns the same
 * text.
 */
export function createHandover(sandboxes: RunSandboxes): Handover {
  return {
    discard: async (run) => void (await sandboxes.discard(run.id, { branchToo: true })),
    conclude: async (run, parent) => {
      // The sandbox is stopped first, so that no command changes the files under the commit.
      await sandboxes.release(run.id);
      const { sha } = await sandboxes.checkpoint(run, 'Finish');
      const workspace = await sandboxes.workspace(run);
      const { filesChanged, additions, deletions } = await workspace.diff({ statOnly: true });
      if (filesChanged === 0) return outcome();
      const review: EventDraft = {
        type: 'ReviewReady',
        title: `${filesChanged} ${filesChanged === 1 ? 'file' : 'files'} to review on ${workspace.branch}`,
        message: `+${additions} −${deletions}`,
        payload: { branch: workspace.branch, headSha: sha, filesChanged, additions, deletions },
      };
      if (run.status !== 'Completed') return outcome({ events: [review] });
      const delivered = await sandboxes.deliver(run, run.contractDestination);
      const events = delivered
        ? [review, told(run, sha, `the branch ${delivered.target}`, delivered.outcome).event]
        : [review];
      if (parent && hasEnded(parent.status)) return outcome({ events });
      if (!parent) return intoShared(sandboxes, run, sha, events);
      const merged = await sandboxes.mergeIntoParent(run, parent);
      const { event, note } = told(run, sha, `run ${parent.id}`, merged);
      const parentPlace = whereabouts(await sandboxes.workspace(parent));
      return outcome({ events, parentEvents: [event], parentPlace, note });
    },
  };
}

const outcome = (more: Partial<HandoverOutcome> = {}): HandoverOutcome => ({
  events: [],
  parentEvents: [],
  parentPlace: null,
  note: null,
  ...more,
});

async function intoShared(sandboxes: RunSandboxes, run: RunRecord, sha: string, events: EventDraft[]) {
  const merged = await sandboxes.mergeIntoShared(run);
  return outcome({
    events: merged ? [...events, told(run, sha, `workspace ${run.workspaceId}`, merged).event] : events,
  });
}

/** A merge as an event for its recipient's log, and as text for a model. */
function told(run: RunRecord, sha: string, into: string, merged: MergeOutcome): { event: EventDraft; note: string } {
  if (merged.status !== 'conflicts') {
    const title = `Run ${run.id} was merged into ${into}`;
    const note = 'Its files are among yours now.';
    return { event: { type: 'FileChanged', title, payload: { fromRunId: run.id, sha } }, note };
  }
  const { conflicts } = merged;
  const title = `The work of run ${run.id} could not be merged into ${into}`;
  const detail = conflicts.map(({ path, reason }) => `${path}: ${reason}`).join('\n');
  const payload = { fromRunId: run.id, branch: run.reviewBranch, conflicts };
  const event: EventDraft = { type: 'ReviewReady', level: 'Warning', title, message: detail, payload };
  const note = `Its files are not among yours, because both changed the same places; they are kept on the branch ${run.reviewBranch}.\n${detail}\nMake the changes yourself, or have them made by another run.`;
  return { event, note };
}
