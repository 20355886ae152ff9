// Projects as they are answered: with names of people and counts of what is in them.
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { roleIn } from '../../projects/roles.ts';
import { present } from '../fields.ts';
import type { SiteStatusDto } from '../site-builds/dto.ts';
import { type ProjectDetailDto, ProjectDto, ProjectMemberDto } from './dto.ts';
import type { Figures } from './figures.ts';

interface Deps {
  users: PerTenant<UserDoc>;
  identities: PerTenant<IdentityDoc>;
  figures: Figures;
  units: Pick<UnitsOfTenants, 'treeOf'>;
  /** How the project's public site is; null where it has none. */
  siteOf?: ((caller: Caller, project: ProjectDoc) => Promise<SiteStatusDto | null>) | undefined;
}

/** Names of people and agents by their ids. */
const namesIn =
  (users: Deps['users'], identities: Deps['identities']) =>
  async (tenantId: number, userIds: (number | null)[], identityIds: (number | null)[]) => {
    const [people, agents] = await Promise.all([
      users(tenantId)
        .find({ _id: { $in: present(userIds) } })
        .toArray(),
      identities(tenantId)
        .find({ _id: { $in: present(identityIds) } })
        .toArray(),
    ]);
    const user = new Map(people.map((one) => [one._id, one.displayName ?? one.username]));
    const identity = new Map(agents.map((one) => [one._id, one.displayName]));
    return {
      user: (id: number | null) => (id === null ? null : (user.get(id) ?? null)),
      identity: (id: number | null) => (id === null ? null : (identity.get(id) ?? null)),
    };
  };

export function createShow({ users, identities, figures, units, siteOf }: Deps) {
  const namesOf = namesIn(users, identities);

  const showAll = async (tenantId: number, docs: readonly ProjectDoc[]): Promise<ProjectDto[]> => {
    const inUnits = docs.some(({ orgUnitId }) => orgUnitId != null);
    const [names, counts, tree] = await Promise.all([
      namesOf(
        tenantId,
        docs.map((doc) => doc.ownerUserId),
        docs.map((doc) => doc.leadIdentityId),
      ),
      figures.of(
        tenantId,
        docs.map(({ _id }) => _id),
      ),
      inUnits ? units.treeOf(tenantId) : null,
    ]);
    return docs.map((doc, at) =>
      shown(ProjectDto, doc, {
        orgUnitName: (doc.orgUnitId != null && tree?.units.get(doc.orgUnitId)?.name) || null,
        ownerName: names.user(doc.ownerUserId),
        leadIdentityName: names.identity(doc.leadIdentityId),
        memberCount: doc.members.length,
        ...(counts[at] as (typeof counts)[number]),
      }),
    );
  };

  return {
    showAll,
    show: async (doc: ProjectDoc): Promise<ProjectDto> => (await showAll(doc.tenantId, [doc]))[0] as ProjectDto,
    async detail(doc: ProjectDoc, caller: Caller): Promise<ProjectDetailDto> {
      const { tenantId, members } = doc;
      const [[project], names, workspaceIds, site] = await Promise.all([
        showAll(tenantId, [doc]),
        namesOf(
          tenantId,
          members.map((one) => one.userId),
          members.map((one) => one.identityId),
        ),
        figures.workspaces(tenantId, doc._id),
        siteOf?.(caller, doc) ?? null,
      ]);
      return {
        ...(project as ProjectDto),
        agentInstructions: doc.agentInstructions,
        members: members.map((one) =>
          shown(ProjectMemberDto, one, {
            id: one.id,
            memberKind: one.userId === null ? ('Identity' as const) : ('User' as const),
            name: names.user(one.userId) ?? names.identity(one.identityId) ?? 'somebody who is gone',
          }),
        ),
        callerRole: roleIn(doc, caller),
        workspaceIds,
        site,
      };
    },
  };
}
export type ShowProjects = ReturnType<typeof createShow>;
