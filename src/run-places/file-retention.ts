// Retention of run files: deletes files and output of runs that ended long ago; branches stay as long as their runs.
import type { RunRecord } from '../../runtime/records.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import type { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';

interface Deps {
  sandboxes: RunSandboxes;
  workspaces: Workspaces;
  findRuns: (ids: readonly number[]) => Promise<RunRecord[]>;
  keptMs: number;
  clock: Clock;
  /** The time by which ages are counted; that of the clock unless given. */
  now?: () => Promise<number>;
  log: Logger;
}

const everyMs = 3_600_000;
const batch = 200;

/** Sweeps this disk now and every hour; one node at a time on a shared disk. */
export function keepFilesTidy({ keptMs, ...deps }: Omit<Deps, 'keptMs'> & { keptMs: () => number }) {
  let sweeping: Promise<unknown> = Promise.resolve();
  const round = () => {
    sweeping = sweeping
      .then(() => sweepFiles({ ...deps, keptMs: keptMs() }))
      .catch((error: unknown) => deps.log.error({ err: error }, 'a round through the files of ended runs failed'))
      .then(() => deps.workspaces.collect())
      .catch((error: unknown) => deps.log.error({ err: error }, 'some stores of files could not be packed'));
  };
  const stop = deps.clock.every(everyMs, round);
  round();
  return {
    close: async () => {
      stop();
      await sweeping;
    },
  };
}

/** One sweep; returns the ids of runs whose files were deleted. None while another node sweeps the same disk. */
export const sweepFiles = async (deps: Deps): Promise<number[]> =>
  (await deps.workspaces.alone(() => sweep(deps))) ?? [];

async function sweep(deps: Deps): Promise<number[]> {
  const { sandboxes, workspaces, findRuns, keptMs, clock, log } = deps;
  const clearing = workspaces.clearLeftovers();
  await clearing.catch((error: unknown) => log.warn({ err: error }, 'some removed worktrees could not be deleted'));
  const before = (deps.now ? await deps.now() : clock.now()) - keptMs;
  const stored = [...(await sandboxes.stored())];
  const swept: number[] = [];
  for (let from = 0; from < stored.length; from += batch) {
    const some = stored.slice(from, from + batch);
    const runs = new Map((await findRuns(some.map(([id]) => id))).map((run) => [run.id, run]));
    for (const [id, changedAt] of some) {
      const run = runs.get(id);
      // Files of a deleted run. Young ones are kept, since the settings may name another store for a while.
      const sweeping = run
        ? isOver(run, before) && sweepRun(deps, run, before)
        : changedAt < before && forget(deps, id);
      const isGone = await Promise.resolve(sweeping).catch((error: unknown) =>
        log.warn({ err: error, runId: id }, 'the files of an ended run could not be deleted'),
      );
      if (isGone) swept.push(id);
    }
  }
  if (swept.length > 0) log.info({ runs: swept.length }, 'files of runs that ended long ago were deleted');
  return swept;
}

const isOver = (run: RunRecord, before: number) =>
  hasEnded(run.status) && !run.unfinished && (run.completedAt ?? 0) < before;

async function sweepRun({ sandboxes, findRuns, log }: Deps, run: RunRecord, before: number): Promise<boolean> {
  const keep = run.reviewWorktreePath === null ? null : sandboxes.checkpoint(run, 'Last state');
  await keep?.catch((error: unknown) => log.warn({ err: error, runId: run.id }, 'old files go uncommitted'));
  // The run may have been restarted meanwhile.
  const isWanted = async () => {
    const [newest] = await findRuns([run.id]);
    return !newest || !isOver(newest, before);
  };
  return sandboxes.discard(run.id, { isWanted });
}

const forget = ({ sandboxes }: Deps, runId: number): Promise<boolean> => sandboxes.discard(runId, { branchToo: true });
