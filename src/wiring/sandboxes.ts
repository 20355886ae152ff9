// Sandboxes and workspaces of runs: the driver that works here, the tools that use it, and what follows a run's life.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Briefings, Contracts, RunStore, Tools } from '../../runtime/ports.ts';
import type { EventDraft, RunRecord } from '../../runtime/records.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import type { EventSink } from '../../runtime/views/emission.ts';
import type { Sandbox } from '../../sandbox/commands/sandbox.ts';
import type { DriverChoice } from '../../sandbox/drivers/choose-driver.ts';
import type { ProbeReport } from '../../sandbox/drivers/driver.ts';
import { type RunPlace, RunSandboxes, type RunSandboxesOptions } from '../../sandbox/runs/run-sandboxes.ts';
import { sandboxTools } from '../../sandbox/runs/tools.ts';
import { parseDestination } from '../../sandbox/workspace/deliverable.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import type { Config } from '../config.ts';
import type { DocumentBy } from '../groups/docs/delivered.ts';
import { createScrub } from '../groups/shares/scrubbed.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createVault, type Vault } from '../kernel/vault.ts';
import type { Publisher } from '../ports/stream.ts';
import type { ProjectAccess } from '../projects/access.ts';
import { opened } from '../projects/repository.ts';
import { createDeliverableCheck } from '../run-places/deliverables.ts';
import { createHandover } from '../run-places/handover.ts';
import { createPrograms } from '../run-places/programs.ts';
import { originFrom, type RepositoryOf } from '../run-places/project-origin.ts';
import { openDriver } from '../run-places/sandbox-driver.ts';
import { followRuns } from '../run-places/sandbox-life.ts';
import { requireSandbox, shownTools } from '../run-places/sandbox-need.ts';
import { createOutputPublisher } from '../run-places/sandbox-output.ts';
import { readSandboxSettings, type SandboxSettings } from '../run-places/sandbox-settings.ts';

interface Deps {
  config: Config;
  clock: Clock;
  log: Logger;
  publisher: Publisher;
  findRun: (id: number) => Promise<RunRecord | null>;
  /** No other process works on the runs. */
  alone: boolean;
  eventsOf: RunStore['runs']['events'];
  sharedPlaceOf: NonNullable<RunSandboxesOptions['sharedPlaceOf']>;
  documentBy: DocumentBy;
  repositoryOf: ProjectAccess['repositoryOf'];
}

/** How to reach the logs of runs. */
interface RunLogs {
  addEvents(runId: number, events: EventDraft[]): Promise<unknown>;
}

export async function openSandboxes(deps: Deps) {
  const { config, clock, log, publisher, findRun, eventsOf, sharedPlaceOf, documentBy, repositoryOf } = deps;
  const directory = join(config.dataDir, 'sandbox');
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const { docker, fetches, ...shares } = readSandboxSettings(config.sandboxSettings);
  const driver = await openDriver(config.sandbox, { directory, docker, clock });
  const folder = join(directory, 'workspaces');
  const workspaces = new Workspaces({ directory: folder, clock, fetches });
  const vault = createVault({ ...config, purpose: 'repositories' });
  // The engine reports runs through `follow`; their sandboxes' events go into its logs from then on.
  let logs: RunLogs | null = null;
  const sandboxes = new RunSandboxes({
    driver,
    workspaces,
    directory,
    clock,
    ...shares,
    sharedPlaceOf,
    originOf: originFrom({ repositoryOf: openedBy(vault, repositoryOf), allowsPrivate: shares.privateHosts ?? false }),
    onChunk: createOutputPublisher({ publisher, findRun, log }),
    ...(deps.alone ? {} : { hasEnded: (runId: number) => isOver(findRun(runId)) }),
    onLife: (runId, state, sandbox) => {
      logs
        ?.addEvents(runId, [lifeEvent(state, sandbox, driver)])
        .catch((error: unknown) => log.warn({ err: error, runId }, 'a sandbox is missing in the log of its run'));
    },
  });
  const programs = openPrograms({ driver, clock, folder: join(directory, 'programs'), ...shares });
  const gone = await sandboxes.reconcile();
  if (gone.length > 0) log.info({ sandboxes: gone.length }, 'cleared up after an earlier server');
  const check = createDeliverableCheck({ sandboxes, eventsOf, documentBy });
  const tools = shownTools(toolsOf(sandboxes, shares.ceilings, log), driver);
  return {
    sandboxes,
    workspaces,
    /** Commands and clones may reach private addresses, as the operator says. */
    allowsPrivate: shares.privateHosts ?? false,
    /** Seals what private repositories ask for. */
    vault,
    /** Where the files of runs are. */
    folder,
    driver,
    /** Programs of connectors, in sandboxes of their own. */
    programs,
    /** What the operator grants to the trainer. */
    limitsOfTrainer: shares.sharesOf('trainer'),
    tools: { forRun: () => tools, all: () => tools } satisfies Tools,
    check,
    contracts: contractsOf(sandboxes, check),
    /** A sink that also does what a run's steps mean for its workspace. */
    follow: (sink: EventSink, runs: RunLogs) => {
      logs = runs;
      return followRuns(sink, { sandboxes, findRun, log });
    },
    handover: createHandover(sandboxes),
    /** Briefings under which no run begins that needs what this server lacks. */
    guard: (briefings: Briefings) => requireSandbox(briefings, driver),
    health: { name: 'sandbox', required: false, check: async () => describe(config, driver) },
    close: () => {
      logs = null;
      return Promise.all([programs.close(), sandboxes.close()]);
    },
  };
}
export type OpenSandboxes = Awaited<ReturnType<typeof openSandboxes>>;

async function isOver(finding: Promise<RunRecord | null>): Promise<boolean> {
  const run = await finding;
  return run === null || hasEnded(run.status);
}

const toolsOf = (runs: RunSandboxes, { commandTimeoutMs }: SandboxSettings['ceilings'], log: Logger) =>
  sandboxTools({
    ...{ runs, commandTimeoutMs, withoutDriver: 'fail' },
    scrub: (text, known) => createScrub(known).text(text),
    onTrouble: (err, runId) => log.warn({ err, runId }, 'changed files are missing in the log of a run'),
  });

/** Judges what runs deliver: a branch by its commits. */
const contractsOf = (sandboxes: RunSandboxes, check: ReturnType<typeof createDeliverableCheck>): Contracts => ({
  check: async (run, deliverable) => {
    const isBranch = parseDestination(run.contractDestination ?? '').kind === 'branch';
    if (isBranch && run.reviewWorktreePath !== null) await sandboxes.checkpoint(run, 'Before delivery');
    const { met, detail } = await check(run, deliverable);
    return { met, detail };
  },
});

/** Programs of connectors; they get what the operator grants to the role `mcp`. */
const openPrograms = ({ driver, clock, folder, ...shares }: ProgramDeps) =>
  createPrograms({
    ...{ driver, clock, folder, ceilings: shares.ceilings, privateHosts: shares.privateHosts },
    ...{ limits: shares.sharesOf('mcp'), hosts: shares.hostsOf({ role: 'mcp', toolProfileName: null } as RunPlace) },
  });

interface ProgramDeps extends Pick<SandboxSettings, 'ceilings' | 'privateHosts' | 'sharesOf' | 'hostsOf'> {
  driver: DriverChoice;
  clock: Clock;
  folder: string;
}

/** Repositories of projects with what opens them. */
const openedBy =
  (vault: Vault, repositoryOf: Deps['repositoryOf']): RepositoryOf =>
  async (run) => {
    const found = await repositoryOf(run);
    return found && opened(found, run.tenantId, vault);
  };

function lifeEvent(state: 'started' | 'stopped', { id }: Sandbox, { driver }: DriverChoice): EventDraft {
  const payload = { sandboxId: id, driver: driver?.name ?? null };
  return state === 'started'
    ? { type: 'SandboxStarted', title: `Sandbox ${id} started (${driver?.name})`, payload }
    : { type: 'SandboxStopped', title: `Sandbox ${id} stopped`, payload };
}

/** For readiness: what holds the sandboxes here, and what it can't enforce. Throws what `require` throws without one. */
function describe({ sandbox }: Config, choice: DriverChoice): string {
  if (sandbox === 'off') return 'Turned off: no run can use commands.';
  const { name } = choice.require();
  const report = choice.reports.find((one) => one.driver === name);
  if (!report) return name;
  const held = (how: ProbeReport['enforces']['memory']) =>
    Object.entries(report.enforces)
      .filter(([, enforcement]) => enforcement === how)
      .map(([limit]) => limit)
      .join(', ');
  const [none, approximate] = [held('none'), held('approximate')];
  return [
    `${name} ${report.version ?? ''}`.trim(),
    ...(none ? [`Not enforced here: ${none}.`] : []),
    ...(approximate ? [`Enforced approximately: ${approximate}.`] : []),
    ...report.warnings,
  ].join(' ');
}
