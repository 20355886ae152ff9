// What the projects of a tenant mean for who calls, and a project as one caller finds it.
import type { Caller, ProjectRights } from '../contract/caller.ts';
import type { ProjectRole } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { createUnitRights } from '../org-units/rights.ts';
import type { Db, Filter } from '../ports/db.ts';
import { hiddenFrom, noProject } from '../ports/in-project.ts';
import { isAtLeast } from '../ports/project-roles.ts';
import { perTenant } from '../ports/tenanted.ts';
import { type ProjectDoc, projectRecord } from './record.ts';
import { type Repository, repositoryOf } from './repository.ts';
import { isAdministrator, roleIn, type Somebody } from './roles.ts';

/** Projects that a search over all of them looks through. */
const mostOpen = 500;

const membership = { _id: 1, ownerUserId: 1, leadIdentityId: 1, orgUnitId: 1, members: 1, deletedAt: 1 } as const;

/** For the authenticator: the rights that a caller comes with. Null for administrators, whom nothing is hidden from. */
export type RightsOf = (who: Somebody & { tenantId: number }) => Promise<ProjectRights | null>;

export interface ProjectAccess {
  rightsOf: RightsOf;
  /** For tools: what is open to the identity that a run or chat works as, and to its own project. */
  rightsOfWork(work: { tenantId: number; identityId: number | null; projectId: number | null }): Promise<ProjectRights>;
  /** A project that is there; null for ids that nobody declared, and for removed ones. */
  find(tenantId: number, id: number): Promise<ProjectDoc | null>;
  /**
   * A project as the caller may know of it, with the caller's role.
   *
   * @param least - the role that what they want to do takes
   * @throws Fault NOT_FOUND for others' projects and for none alike; FORBIDDEN for a weaker role
   */
  require(caller: Caller, id: number, least?: ProjectRole): Promise<{ project: ProjectDoc; role: ProjectRole }>;
  /** Projects that the caller may know of, or the one of them that is named, with the caller's role. */
  openTo(caller: Caller, which?: number | null): Promise<{ project: ProjectDoc; role: ProjectRole }[]>;
  /** The repository that runs of a project begin with; null where it names none. */
  repositoryOf(where: { tenantId: number; projectId: number | null }): Promise<Repository | null>;
  /** Refuses new work in a project that is archived; ids that nobody declared take any. @throws Fault CONFLICT */
  requireOpen(tenantId: number, id: number | null | undefined): Promise<void>;
}

export function createProjectAccess({ db, clock }: { db: Db; clock: Clock }): ProjectAccess {
  const unitRights = createUnitRights({ db, clock });
  const of = perTenant(db.collection(projectRecord.spec));
  const rights = async (who: Somebody & { tenantId: number }): Promise<ProjectRights> => {
    const units = await unitRights.of(who);
    const all = await of(who.tenantId).find({}, { projection: membership }).toArray();
    const hidden = new Set<number>();
    const readOnly = new Set<number>();
    for (const project of all) {
      const role = roleIn(project, { ...who, projects: { units } });
      if (role === null) hidden.add(project._id);
      else if (role === 'Viewer') readOnly.add(project._id);
    }
    return { hidden, readOnly, ...(units && { units }) };
  };
  const find = (tenantId: number, id: number) => of(tenantId).findOne({ _id: id, deletedAt: null });
  return {
    find,
    rightsOf: async (who) => (isAdministrator(who) ? null : rights(who)),
    async rightsOfWork({ tenantId, identityId, projectId }) {
      const own = await rights({ tenantId, identityId, userId: null, role: 'Agent' });
      return { ...own, hidden: new Set([...own.hidden].filter((id) => id !== projectId)) };
    },
    async require(caller, id, least = 'Viewer') {
      const project = await find(caller.tenantId, id);
      const role = project && roleIn(project, caller);
      if (!project || !role) throw noProject(id);
      if (!isAtLeast(role, least))
        throw new Fault('FORBIDDEN', `You are a ${role} of this project; this takes a ${least}.`, {
          hint: 'Ask an owner of the project for a stronger role.',
        });
      return { project, role };
    },
    async openTo(caller, which) {
      const hidden = hiddenFrom(caller);
      const wanted = which == null ? { ...(hidden.length > 0 && { _id: { $nin: hidden } }) } : { _id: which };
      const found = await of(caller.tenantId)
        .find({ deletedAt: null, ...wanted } as Filter<ProjectDoc>, { sort: { name: 1 }, limit: mostOpen })
        .toArray();
      return found.flatMap((project) => {
        const role = roleIn(project, caller);
        return role ? [{ project, role }] : [];
      });
    },
    async repositoryOf({ tenantId, projectId }) {
      const project = projectId === null ? null : await find(tenantId, projectId);
      return project && repositoryOf(project);
    },
    async requireOpen(tenantId, id) {
      if (id == null) return;
      const project = await find(tenantId, id);
      if (project) requireUnarchived(project);
    },
  };
}

/** @throws Fault CONFLICT for a project that is archived */
export function requireUnarchived({ status, name, _id }: ProjectDoc): void {
  if (status !== 'Archived') return;
  throw new Fault('CONFLICT', `The project ${name} is archived: nothing new begins in it.`, {
    hint: `An owner restores it with POST /api/projects/${_id}/archive and archived false.`,
  });
}
