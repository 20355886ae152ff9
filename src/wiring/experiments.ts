// Opens experiments: their keepers, and the work on what is running.

import { createMakers } from '../groups/agent/routines/makers.ts';
import type { FoundRuns } from '../groups/agent/searched.ts';
import { createCollect } from '../groups/evaluations/collect.ts';
import {
  caseRecord,
  type ExperimentDoc,
  evaluationDatasetRecord,
  experimentRecord,
} from '../groups/evaluations/record.ts';
import { evaluationDatasetsService, experimentsService } from '../groups/evaluations/service.ts';
import { createExperimentWork } from '../groups/evaluations/work.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds, inTurn } from '../kernel/rounds.ts';
import { requireChangeIn } from '../ports/in-project.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Perform } from '../ports/perform.ts';
import { createProjectAccess } from '../projects/access.ts';
import type { OpenModels } from './models.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';

interface Deps {
  storage: Storage;
  runtime: OpenRuntime;
  models: Pick<OpenModels, 'model'>;
  nodeId: string;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for cases that have ended. */
const lookEveryMs = 1000;

export type OpenExperiments = ReturnType<typeof openExperiments>;

export function openExperiments(deps: Deps) {
  const { storage, runtime, models, nodeId, clock } = deps;
  const log = deps.log.child({ domain: 'Agent' });
  const { db, ids } = storage;
  const { engine, roleDefaults } = runtime;
  const work = createExperimentWork({
    ...{
      clock,
      log,
      nodeId,
      alone: storage.kind !== 'MongoDB',
      model: models.model,
      staff: staffOf(deps),
      createRun: engine.create,
    },
    experiments: db.collection(experimentRecord.spec),
    cases: db.collection(caseRecord.spec),
    findRun: (id) => storage.runs.runs.get(id),
    cancelRun: (id, reason) => engine.cancel(id, { reason }),
    costOf: async (run) => (await engine.view(run)).totalCostWithChildren,
  });
  const round = inTurn(work.round);
  const rounds = createRounds({ clock, log });
  let works = false;
  const service = {
    datasets: createKeeper(evaluationDatasetRecord, { db, ids, clock }),
    experiments: createKeeper(experimentRecord, { db, ids, clock }),
    cases: createKeeper(caseRecord, { db, ids, clock }),
    ...{ ids, acting: runtime.acting },
    requireRole: (tenantId: number, name: string) => roleDefaults(tenantId, { id: null, name }),
    changed: () => {
      if (works)
        void round().catch((error: unknown) => log.warn({ err: error }, 'experiments wait for the next round'));
    },
  };
  return {
    services(perform: Perform, runs: FoundRuns['runs']) {
      const evaluation = { ...service, collect: createCollect({ perform, runs }) };
      return [evaluationDatasetsService(evaluation), experimentsService(evaluation)];
    },
    async run(): Promise<void> {
      works = true;
      rounds.start({ name: 'experiments', everyMs: lookEveryMs, work: round });
    },
    async close(): Promise<void> {
      works = false;
      await rounds.close();
    },
  };
}

const defaultRole = 'worker';

/** What runs of a candidate work as: who planned the experiment may still do that. */
function staffOf({ storage, runtime, clock }: Deps) {
  const { acting, roleDefaults, workRole } = runtime;
  const access = createProjectAccess({ ...storage, clock });
  const { makerOf } = createMakers({ auth: storage.auth, access, acting, roleDefaults, workRole });
  return async (experiment: ExperimentDoc, role: string | null) => {
    const { tenantId, projectId } = experiment;
    const maker = await makerOf(experiment);
    if (!maker?.permissions.has('RunsWrite'))
      throw new Fault('FORBIDDEN', 'Who planned it is not active any more, or may not start runs.', {
        hint: 'Somebody who may plans it anew.',
      });
    requireChangeIn(maker, projectId);
    await access.requireOpen(tenantId, projectId);
    const who = await acting.require(maker, experiment.identityId);
    const id = role === null ? await workRole(tenantId, who.identityId) : null;
    const limits = await roleDefaults(tenantId, { id, name: role ?? defaultRole }, role === null);
    return { role: defaultRole, ...limits, ...who, startedByUserId: maker.userId };
  };
}
