// All that belongs to a project, whichever group keeps it: which ids are in use, and what goes with a project.
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import type { By, Keeper } from '../ports/keeper.ts';
import { perTenant, type Tenanted } from '../ports/tenanted.ts';
import type { ProjectDoc } from './record.ts';

interface InProject extends Tenanted {
  projectId: number;
}

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  keeper: Keeper<ProjectDoc>;
  /** Collections whose documents have a `projectId`, and go with their project. */
  owned: readonly string[];
  /** Collections whose documents have one, and stay on record. */
  kept: readonly string[];
}

export type ProjectContent = ReturnType<typeof createProjectContent>;

export function createProjectContent({ db, ids, clock, keeper, owned, kept }: Deps) {
  const of = (name: string) => perTenant(db.collection<InProject>({ name: name as Lowercase<string>, indexes: [] }));

  const isUsed = async (tenantId: number, projectId: number): Promise<boolean> => {
    // A request that is repeated takes the id that it took before, which is its own project's.
    if (await keeper.of(tenantId).findOne({ _id: projectId }, { projection: { _id: 1 } })) return false;
    for (const name of [...owned, ...kept])
      if (await of(name)(tenantId).findOne({ projectId }, { projection: { _id: 1 } })) return true;
    return false;
  };

  const finish = async (by: By, { _id: projectId, tenantId, guid, key }: ProjectDoc) => {
    for (const name of owned) await of(name)(tenantId).deleteMany({ projectId });
    // Its name is free again; what is left of it is nobody's.
    const gone = {
      key: `${key} ${guid}`,
      siteSlug: null,
      members: [],
      agentInstructions: null,
      repositoryCredentials: null,
    };
    await keeper.change(by, projectId, { ...gone, removingAt: null });
    await keeper.remove(by, projectId);
  };

  return {
    /**
     * Ids for new projects, which pass over those that somebody of the tenant has used without a project: what they
     * wrote stays open to the tenant, and nobody's project takes it over.
     */
    idsFor: (tenantId: number): Ids => ({
      async next(series) {
        for (;;) {
          const id = await ids.next(series);
          if (!(await isUsed(tenantId, id))) return id;
        }
      },
    }),
    /** Deletes a project with its content. The intent is written first, so that a crash leaves nothing half done. */
    async remove(by: By, project: ProjectDoc): Promise<void> {
      await finish(by, await keeper.change(by, project._id, { removingAt: new Date(clock.now()) }));
    },
    /** Completes removals that a crash has cut short. */
    async repair(before: Date): Promise<void> {
      const cut = db.collection(keeper.record.spec).find({ removingAt: { $gt: new Date(0), $lte: before } });
      for (const project of await cut.toArray()) await finish({ tenantId: project.tenantId }, project);
    },
  };
}
