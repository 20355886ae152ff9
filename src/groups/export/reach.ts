// What an export reaches: whose stores it may hold whole, and which projects and documents of them.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { namedIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { DocClassification } from '../../contract/enums.ts';
import { clearanceOf } from '../../documents/clearance.ts';
import { Fault } from '../../kernel/fault.ts';
import { mayReadIn } from '../../ports/in-project.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { roleIn } from '../../projects/roles.ts';

export interface Switches {
  includeArchived?: boolean | undefined;
  includeChats?: boolean | undefined;
}

/** A project with the documents of it that may go along. */
export interface ReachedProject {
  project: ProjectDoc;
  cleared: DocClassification[];
}

export interface ReachedIdentity {
  identity: IdentityDoc;
  /** All of its store goes along; else what it shares. */
  whole: boolean;
}

export interface Reach {
  scope: 'Identity' | 'Tenant';
  caller: Caller;
  identities: ReachedIdentity[];
  projects: ReachedProject[];
  /** The key of a project that goes along, by its id. */
  keyOf(projectId: number | null): string | null;
  /** The moment that the export tells of. */
  at: Date;
  archived: boolean;
  chats: boolean;
}

interface Deps {
  identities: PerTenant<IdentityDoc>;
  projects: PerTenant<ProjectDoc>;
  acting: Acting;
  now(): Date;
}

export function createReaches({ identities, projects, acting, now }: Deps) {
  const openProjects = async (caller: Caller): Promise<ProjectDoc[]> => {
    const all = await projects(caller.tenantId)
      .find({ deletedAt: null }, { sort: { _id: 1 } })
      .toArray();
    return all.filter(({ _id }) => mayReadIn(caller, _id));
  };

  const reach = (
    scope: Reach['scope'],
    caller: Caller,
    { includeArchived, includeChats }: Switches,
    of: ReachedIdentity[],
    within: ReachedProject[],
    known: readonly ProjectDoc[],
  ): Reach => {
    const keys = new Map(known.map(({ _id, key }) => [_id, key]));
    return {
      scope,
      caller,
      identities: of,
      projects: within,
      keyOf: (projectId) => (projectId === null ? null : (keys.get(projectId) ?? null)),
      at: now(),
      archived: includeArchived ?? false,
      chats: includeChats ?? false,
    };
  };

  return {
    /** @throws Fault NOT_FOUND; OWNERSHIP_REQUIRED for who is neither the identity nor its person nor its steward */
    async ofIdentity(caller: Caller, identityId: number, switches: Switches): Promise<Reach> {
      const identity = await namedIdentity(identities, caller, identityId);
      const { tenantId, userId, identityId: own } = caller;
      // Who may make keys for others does not own what they remember.
      if (!(await acting.may({ tenantId, userId, identityId: own }, identityId)))
        throw new Fault('OWNERSHIP_REQUIRED', `You may not export what ${identity.displayName} remembers.`, {
          hint: 'Its person or its steward can; GET /api/export/tenant holds what it shares.',
        });
      const known = await openProjects(caller);
      const who = { identityId, userId: identity.type === 'Human' ? identity.userId : null, role: 'Agent' } as const;
      const within = known.flatMap((project) => {
        const [asIdentity, asCaller] = [roleIn(project, who), roleIn(project, caller)];
        if (!asIdentity || !asCaller) return [];
        const cleared = clearanceOf(asIdentity).filter((one) => clearanceOf(asCaller).includes(one));
        return [{ project, cleared }];
      });
      return reach('Identity', caller, switches, [{ identity, whole: true }], within, known);
    },
    async ofTenant(caller: Caller, switches: Switches): Promise<Reach> {
      const all = await identities(caller.tenantId)
        .find({ deletedAt: null }, { sort: { _id: 1 } })
        .toArray();
      const { tenantId, userId, identityId } = caller;
      const own = new Set((await acting.among({ tenantId, userId, identityId }, all)).map(({ _id }) => _id));
      const known = await openProjects(caller);
      const within = known.flatMap((project) => {
        const role = roleIn(project, caller);
        return role ? [{ project, cleared: [...clearanceOf(role)] }] : [];
      });
      const reached = all.map((identity) => ({ identity, whole: own.has(identity._id) }));
      return reach('Tenant', caller, switches, reached, within, known);
    },
  };
}
export type Reaches = ReturnType<typeof createReaches>;

/** Ids of the identities whose stores go along whole. */
export const wholeOnes = ({ identities }: Reach): number[] =>
  identities.filter(({ whole }) => whole).map(({ identity }) => identity._id);

/** The key of a project that goes along itself: what is in others would find none where it is restored. */
export const keyInside = ({ projects }: Reach, projectId: number | null): string | null =>
  projects.find(({ project }) => project._id === projectId)?.project.key ?? null;
