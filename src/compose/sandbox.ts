// Sandboxes and workspaces of runs: the driver that works here, the tools that use it, and what follows a run's life.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Contracts, Emission, EventSink, Tools } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import { chooseDriver } from '../../sandbox/choose-driver.ts';
import { createBwrapDriver } from '../../sandbox/drivers/bwrap/driver.ts';
import { createDockerDriver } from '../../sandbox/drivers/docker/driver.ts';
import { toSandboxChunkDto } from '../../sandbox/output/chunk.ts';
import { RunSandboxes } from '../../sandbox/run-sandboxes.ts';
import { sandboxTools } from '../../sandbox/tools.ts';
import { checkDeliverable } from '../../sandbox/workspace/deliverable.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Publisher } from '../ports/stream.ts';

interface Deps {
  config: Config;
  clock: Clock;
  log: Logger;
  publisher: Publisher;
  findRun: (id: number) => Promise<RunRecord | null>;
}

/** Longest time that one command may take, in ms. */
const commandTimeoutMs = 600_000;

export async function openSandboxes({ config, clock, log, publisher, findRun }: Deps) {
  const directory = join(config.dataDir, 'sandbox');
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const driver = await chooseDriver(config.sandbox, [
    createDockerDriver({ directory: join(directory, 'docker'), clock }),
    createBwrapDriver({ directory: join(directory, 'bwrap'), clock }),
  ]);
  const sandboxes = new RunSandboxes({
    driver,
    workspaces: new Workspaces({ directory: join(directory, 'workspaces'), clock }),
    directory,
    clock,
    onChunk: (runId, chunk) => {
      void findRun(runId)
        .then(
          (run) =>
            run &&
            publisher.publish({
              tenantId: run.tenantId,
              topics: [`run:${runId}`],
              type: 'run.sandbox.output',
              data: toSandboxChunkDto(runId, chunk),
            }),
        )
        .catch((error: unknown) => log.warn({ err: error, runId }, 'sandbox output was not streamed'));
    },
  });
  const gone = await sandboxes.reconcile();
  if (gone.length > 0) log.info({ sandboxes: gone.length }, 'cleared up after an earlier server');
  const check = createCheck(sandboxes);
  const tools = sandboxTools({ runs: sandboxes, commandTimeoutMs });
  // Without a driver only the files are offered, so that no model plans with commands that cannot run.
  const offered = driver.driver ? tools : tools.filter((tool) => !tool.sandboxed);
  return {
    sandboxes,
    driver,
    tools: { forRun: () => offered, all: () => offered } satisfies Tools,
    check,
    contracts: {
      check: async (run, deliverable) => {
        const { met, detail } = await check(run, deliverable);
        return { met, detail };
      },
    } satisfies Contracts,
    /** A sink that also does what a run's steps mean for its workspace. */
    follow: (sink: EventSink) => followRuns(sink, { sandboxes, findRun, log }),
    close: () => sandboxes.close(),
  };
}
export type OpenSandboxes = Awaited<ReturnType<typeof openSandboxes>>;

/** Checks a run's contract as it stands; `deliverable` is what the run itself says that it delivered. */
function createCheck(sandboxes: RunSandboxes) {
  return async (run: RunRecord, deliverable: string | null = run.result?.deliverable ?? null) => {
    const contract = { deliverable: run.contractDeliverable, destination: run.contractDestination };
    const workspace = run.reviewWorktreePath === null ? null : await sandboxes.workspace(run);
    return checkDeliverable(contract, workspace, async (kind) => ({
      met: deliverable !== null && deliverable.trim() !== '',
      detail: deliverable
        ? `The run names ${deliverable.slice(0, 200)}.`
        : `The run must name the ${kind} that it delivered.`,
    }));
  };
}

interface FollowDeps {
  sandboxes: RunSandboxes;
  findRun: (id: number) => Promise<RunRecord | null>;
  log: Logger;
}

/** Commits a run's work with each checkpoint, merges a finished child's into its parent, and ends sandboxes with runs. */
function followRuns(sink: EventSink, { sandboxes, findRun, log }: FollowDeps): EventSink {
  const obey = async (emission: Emission) => {
    const event = emission.data as { id: number; runId: number; type?: string; title?: string; status?: string };
    if (emission.type === 'run.event' && event.type === 'CheckpointSaved') {
      const run = await findRun(event.runId);
      if (run?.reviewWorktreePath) await sandboxes.checkpoint(run, event.title ?? 'Checkpoint');
    } else if (emission.type === 'run.ended') {
      const run = await findRun(event.id);
      if (!run) return;
      const parent = run.parentRunId === null ? null : await findRun(run.parentRunId);
      if (run.reviewWorktreePath && parent && event.status === 'Completed')
        await sandboxes.mergeIntoParent(run, parent);
      else if (run.reviewWorktreePath) await sandboxes.checkpoint(run, 'Finish');
      await sandboxes.release(run.id);
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
