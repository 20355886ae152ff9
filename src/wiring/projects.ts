// Projects with all that belongs to them, whichever part of the server keeps it.
import type { Engine } from '../../runtime/engine.ts';
import { unended } from '../../runtime/state/run.ts';
import { parts } from '../groups/parts.ts';
import { repositoryCredentialsService } from '../groups/projects/credentials/service.ts';
import { createFigures } from '../groups/projects/figures.ts';
import { noteOf, type ProjectsDeps, projectsService } from '../groups/projects/service.ts';
import { createShow } from '../groups/projects/show.ts';
import { createSummaries } from '../groups/projects/summary.ts';
import { createSiteStatus } from '../groups/site-builds/status.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Round } from '../kernel/rounds.ts';
import type { Vault } from '../kernel/vault.ts';
import type { UnitsOfTenants } from '../org-units/units.ts';
import { callSpec } from '../ports/ai-router.ts';
import type { Db } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import { createKeeper } from '../ports/keeper.ts';
import { perTenant } from '../ports/tenanted.ts';
import { createProjectAccess } from '../projects/access.ts';
import { activityRecord } from '../projects/activity.ts';
import { createProjectContent } from '../projects/content.ts';
import { projectRecord } from '../projects/record.ts';
import { collections, type Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

/** Milliseconds between two looks for removals that a crash has cut short, and how old those are at least. */
const repairEveryMs = 60_000;

/** Collections of documents with a `projectId` that stay on record when their project goes. */
const staying = ['agent_runs', 'agent_escalations', 'chat_sessions', 'workspaces'];
const going = (): string[] => [
  activityRecord.spec.name,
  ...parts.flatMap(({ records }) => records.filter(({ inProject }) => inProject).map(({ spec }) => spec.name)),
];

interface Deps extends Pick<ProjectsDeps, 'users' | 'identities' | 'accessChanged' | 'allowsPrivate'> {
  db: Db;
  ids: Ids;
  clock: Clock;
  units: UnitsOfTenants;
  publisher: OpenStreams['publisher'];
  /** Seals what private repositories ask for. */
  repositoryVault: Vault;
  summaries: Omit<Parameters<typeof createSummaries>[0], 'figures' | 'calls' | 'clock'>;
}

/** Projects, and what opens their repositories. */
export function createProjectsServices(deps: Deps) {
  const { db, ids, clock, publisher } = deps;
  const figures = createFigures({ db, kept: new Set(collections.map(({ name }) => name)) });
  const show = createShow({ ...deps, figures, siteOf: createSiteStatus(deps) });
  const keeperWith = (from: Ids) =>
    createKeeper(projectRecord, {
      db,
      ids: from,
      clock,
      told: async ({ how, doc }) => {
        if (how === 'removed') return;
        const topics = [`project:${doc._id}`];
        await publisher.publish({
          tenantId: doc.tenantId,
          topics,
          type: 'project.updated',
          data: await show.show(doc),
        });
      },
    });
  const content = contentOf({ db, ids, clock });
  const activities = createKeeper(activityRecord, { db, ids, clock });
  const kept = { keeper: keeperWith(ids), access: createProjectAccess({ db, clock }), clock };
  const service = projectsService({
    ...deps,
    ...kept,
    keeperFor: (tenantId) => keeperWith(content.idsFor(tenantId)),
    activities,
    show,
    summaries: createSummaries({ ...deps.summaries, figures, calls: perTenant(db.collection(callSpec)), clock }),
    content,
  });
  const opens = repositoryCredentialsService({ ...kept, vault: deps.repositoryVault, note: noteOf({ activities }) });
  return [service, opens];
}

const contentOf = (base: { db: Db; ids: Ids; clock: Clock }) =>
  createProjectContent({ ...base, keeper: createKeeper(projectRecord, base), owned: going(), kept: staying });

/** The round that completes what crashes have cut short. */
export function repairOfProjects(base: { db: Db; ids: Ids; clock: Clock }): Round {
  const content = contentOf(base);
  const work = () => content.repair(new Date(base.clock.now() - repairEveryMs));
  return { name: 'removals of projects', everyMs: repairEveryMs, work };
}

type Of = Pick<Deps['summaries'], 'statistics'> & {
  engine: Pick<Engine, 'views'>;
  storage: Pick<Storage, 'runs'>;
  sandboxes: { allowsPrivate: boolean; vault: Vault };
};

/** What projects show of runs, and where their repositories may be. */
export const ofProjects = ({ storage, sandboxes, engine, statistics }: Of) => ({
  allowsPrivate: sandboxes.allowsPrivate,
  repositoryVault: sandboxes.vault,
  summaries: {
    statistics,
    viewRuns: engine.views,
    activeRuns: async (tenantId: number, projectId: number) =>
      (await storage.runs.runs.list({ tenantId, projectId, status: unended, limit: 50, counted: false })).items,
  },
});
