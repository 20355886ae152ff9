// Opens maintenance: what each task does, who works on the jobs, and what is done by itself.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Config } from '../../config.ts';
import type { MaintenanceTask } from '../../contract/enums.ts';
import { maintenanceRecord } from '../../groups/maintenance/record.ts';
import { createRunner } from '../../groups/maintenance/runner.ts';
import { createSchedules, type Schedule } from '../../groups/maintenance/schedules.ts';
import { newJob } from '../../groups/maintenance/service.ts';
import type { Tasks } from '../../groups/maintenance/tasks.ts';
import type { PartBase } from '../../groups/part.ts';
import type { Logger } from '../../kernel/logger.ts';
import { createRounds } from '../../kernel/rounds.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { gateOf } from '../../ports/queues.ts';
import type { ServerState } from '../../ports/server-state.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import { retentionBase } from '../../retention/rules.ts';
import type { OpenSandboxes } from '../sandboxes.ts';
import type { SigningKeys } from '../signing-keys.ts';
import type { Storage } from '../storage.ts';
import { checkTasks } from './checks.ts';
import { fileTasks } from './files.ts';
import { identityTasks } from './identities.ts';
import { memoryTasks } from './memories.ts';
import { modeTasks } from './modes.ts';
import { type LogStore, pruneTasks } from './prune.ts';
import { secretTasks } from './secrets.ts';
import { totalTasks } from './totals.ts';

interface Deps {
  config: Config;
  storage: Storage;
  base: PartBase;
  state: ServerState;
  policies: Policies;
  sandboxes: OpenSandboxes;
  signingKeys: SigningKeys;
  accessChanged(): void;
  findRuns(ids: readonly number[]): Promise<RunRecord[]>;
  logs: { store: LogStore };
  tenantId: number;
  nodeId: string;
  log: Logger;
}

/** Milliseconds between two looks for schedules that have become due. */
const scheduleEveryMs = 10_000;

export type OpenMaintenance = ReturnType<typeof openMaintenance>;

export function openMaintenance(deps: Deps) {
  const { config, storage, base, state, tenantId, log } = deps;
  const { db, ids, clock } = base;
  const tasks = tasksOf(deps);
  const jobs = createKeeper(maintenanceRecord, { db, ids, clock });
  const tenants = () => storage.auth.tenants.find({}, { projection: { _id: 1 } }).toArray();
  const runner = createRunner({
    ...{ db, clock, log, tasks, nodeId: deps.nodeId, publisher: base.publisher },
    gate: gateOf(state, 'maintenance'),
    allTenants: async () => (await tenants()).map(({ _id }) => _id),
    alone: storage.kind === 'embedded',
  });
  const ask = async (task: MaintenanceTask, slot: string) => {
    const job = { ...newJob(tasks, tenantId, { task }), isScheduled: true, slot };
    const made = await jobs.insert({ tenantId }, job);
    await runner.tell(made);
    runner.poke();
  };
  const schedules = createSchedules({
    db,
    clock,
    now: storage.believedTime,
    operatorTenantId: tenantId,
    schedules: () => schedulesOf(config),
    ask,
  });
  const rounds = createRounds({ clock, log });
  return {
    service: { clock, state, jobs, runner, schedules, tasks, operatorTenantId: tenantId },
    poke: runner.poke,
    active: runner.active,
    async run(): Promise<void> {
      await runner.run();
      rounds.start({ name: 'schedules of maintenance', everyMs: scheduleEveryMs, work: schedules.round });
    },
    async close(): Promise<void> {
      await rounds.close();
      await runner.close();
    },
  };
}

/** What is done by itself, in UTC. Retention has rounds of its own each hour. */
const schedulesOf = ({ backups: { schedule } }: Config): Schedule[] => [
  { task: 'ExpireIdentities', cron: '10 * * * *', enabled: true },
  { task: 'DecayMemories', cron: '20 3 * * *', enabled: true },
  { task: 'ArchiveMemories', cron: '40 3 * * *', enabled: true },
  { task: 'Backup', cron: schedule ?? '0 2 * * *', enabled: schedule !== null },
];

function tasksOf({ config, storage, base, state, policies, sandboxes, logs, log, ...deps }: Deps): Tasks {
  const { db, ids, clock } = base;
  const { auth } = storage;
  return {
    ...modeTasks({ state, clock }),
    ...memoryTasks(base),
    ...identityTasks({ db, ids, clock, auth, accessChanged: deps.accessChanged }),
    ...pruneTasks({ db, clock, policies, logs: logs.store, retention: retentionBase({ ...storage, config, clock }) }),
    ...totalTasks({ db, clock }),
    ...secretTasks({ ...base, auth, config, signingKeys: deps.signingKeys, seals: base.indexes.seals }),
    ...checkTasks(base),
    ...fileTasks({ ...sandboxes, findRuns: deps.findRuns, config, clock, log }),
  };
}
