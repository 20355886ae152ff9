// What the steps of a run mean for its workspace and its sandbox, and what of that the run's log tells.
import type { Emission, EventSink } from '../../runtime/ports.ts';
import type { EventDraft, RunRecord } from '../../runtime/records.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import type { RunSandboxes } from '../../sandbox/run-sandboxes.ts';
import type { MergeOutcome } from '../../sandbox/workspace/merge.ts';
import type { Logger } from '../kernel/logger.ts';

/** How to reach runs: their logs and their inboxes. */
export interface RunDesk {
  addEvents(runId: number, events: EventDraft[]): Promise<unknown>;
  deliverMessage(runId: number, message: { key: string; kind: 'guidance'; text: string }): Promise<unknown>;
}

interface Deps {
  sandboxes: RunSandboxes;
  findRun: (id: number) => Promise<RunRecord | null>;
  desk: RunDesk;
  log: Logger;
}

/** Commits a run's work with each checkpoint, merges what a finished run did, and ends sandboxes with runs. */
export function followRuns(sink: EventSink, deps: Deps): EventSink {
  const { sandboxes, findRun, log } = deps;
  const obey = async (emission: Emission) => {
    const event = emission.data as { id: number; runId: number; type?: string; title?: string; status?: string };
    if (emission.type === 'run.event' && event.type === 'CheckpointSaved') {
      const run = await findRun(event.runId);
      if (run?.reviewWorktreePath) await sandboxes.checkpoint(run, event.title ?? 'Checkpoint');
    } else if (emission.type === 'run.ended') {
      const run = await findRun(event.id);
      if (!run) return;
      try {
        if (run.reviewWorktreePath) await conclude(run, deps);
      } finally {
        await sandboxes.release(run.id);
      }
    }
  };
  return {
    publish: (emissions) => {
      for (const emission of emissions)
        if (emission.type === 'run.ended' || emission.type === 'run.event')
          obey(emission).catch((error: unknown) =>
            log.warn({ err: error, type: emission.type }, 'a workspace did not follow its run'),
          );
      return sink.publish(emissions);
    },
  };
}

/** Keeps an ended run's work, and takes it over into its parent's or its workspace's files if it completed. */
async function conclude(run: RunRecord, deps: Deps): Promise<void> {
  const { sandboxes, findRun, desk } = deps;
  await sandboxes.checkpoint(run, 'Finish');
  const workspace = await sandboxes.workspace(run);
  const { filesChanged, additions, deletions } = await workspace.diff({ statOnly: true });
  if (filesChanged > 0)
    await desk.addEvents(run.id, [
      {
        type: 'ReviewReady',
        title: `${filesChanged} ${filesChanged === 1 ? 'file' : 'files'} to review on ${workspace.branch}`,
        message: `+${additions} −${deletions}`,
        payload: { branch: workspace.branch, headSha: await workspace.head(), filesChanged, additions, deletions },
      },
    ]);
  if (run.status !== 'Completed') return;
  const parent = run.parentRunId === null ? null : await findRun(run.parentRunId);
  if (parent) await tellMerge(run, parent, await attempt(sandboxes.mergeIntoParent(run, parent)), deps);
  else await tellMerge(run, null, await attempt(sandboxes.mergeIntoShared(run)), deps);
}

type Attempt = MergeOutcome | { status: 'failed'; reason: string } | null;

const attempt = (merging: Promise<MergeOutcome | null>): Promise<Attempt> =>
  merging.catch((error: unknown) => ({
    status: 'failed' as const,
    reason: error instanceof Error ? error.message : String(error),
  }));

/** Says in the log of whoever takes the work over how that went; a parent that still works is told what to do. */
async function tellMerge(run: RunRecord, parent: RunRecord | null, outcome: Attempt, { desk }: Deps): Promise<void> {
  if (!outcome || outcome.status === 'up-to-date') return;
  const reader = parent ?? run;
  const into = parent ? `run ${parent.id}` : `workspace ${run.workspaceId}`;
  if (outcome.status === 'merged') {
    const payload = { fromRunId: run.id, sha: outcome.sha };
    await desk.addEvents(reader.id, [{ type: 'FileChanged', title: `Run ${run.id} was merged into ${into}`, payload }]);
    return;
  }
  const conflicts = outcome.status === 'conflicts' ? outcome.conflicts : [];
  const detail =
    outcome.status === 'failed' ? outcome.reason : conflicts.map(({ path, reason }) => `${path}: ${reason}`).join('\n');
  const title = `The work of run ${run.id} could not be merged into ${into}`;
  await desk.addEvents(reader.id, [
    {
      type: 'ReviewReady',
      level: 'Warning',
      title,
      message: detail,
      payload: { fromRunId: run.id, branch: run.reviewBranch, conflicts },
    },
  ]);
  if (!parent || hasEnded(parent.status)) return;
  const text = `${title}, so its files are not among yours; they are on the branch ${run.reviewBranch}.\n${detail}\nMake the changes yourself, or have them made by another run.`;
  // It may end at any moment; its log has the news already.
  await desk.deliverMessage(parent.id, { key: `merge:${run.id}`, kind: 'guidance', text }).catch(() => {});
}
