// Keeps projects and their members, and says what happened in them.
import type { Caller } from '../../contract/caller.ts';
import type { ProjectRole } from '../../contract/enums.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Filter } from '../../ports/db.ts';
import { hiddenFrom } from '../../ports/in-project.ts';
import { inSpan } from '../../ports/in-span.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { Draft } from '../../ports/record.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import { requireUnarchived } from '../../projects/access.ts';
import { type ActivityDoc, actorOf } from '../../projects/activity.ts';
import type { ProjectContent } from '../../projects/content.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { originOf } from '../../projects/repository.ts';
import { defined } from '../fields.ts';
import { projects } from './contract.ts';
import {
  keyFrom,
  membersOf,
  type PeopleDeps,
  requireOwnership,
  requirePeople,
  requireProjectMove,
  requireRepository,
} from './draft.ts';
import type { ShowProjects } from './show.ts';
import type { Summaries } from './summary.ts';

export interface ProjectsDeps extends PeopleDeps {
  keeper: Keeper<ProjectDoc>;
  /** Makes the projects of a tenant, with ids that nobody has used. */
  keeperFor: (tenantId: number) => Keeper<ProjectDoc>;
  activities: Keeper<ActivityDoc>;
  access: ProjectAccess;
  show: ShowProjects;
  summaries: Summaries;
  content: ProjectContent;
  /** Called when somebody may have lost rights. */
  accessChanged: () => void;
  /** Repositories may be on private addresses, as the operator says for sandboxes. */
  allowsPrivate: boolean;
  units: Pick<UnitsOfTenants, 'require' | 'changed'>;
  clock: Clock;
}

type All = Handlers<typeof projects>;
type Settings = Partial<
  Pick<ProjectDoc, 'ownerUserId' | 'leadIdentityId' | 'orgUnitId' | 'repositoryUrl' | 'status'>
> & { [field: string]: unknown };

export const projectsService = implement(projects, (deps: ProjectsDeps) => ({
  ...readers(deps),
  ...settingHandlers(deps),
  ...lifeHandlers(deps),
}));

function readers({
  keeper,
  activities,
  access,
  show,
  summaries,
}: ProjectsDeps): Pick<All, 'list' | 'get' | 'summary' | 'activity'> {
  return {
    list: async ({ caller, query: { mine, ...query } }) => {
      const within = { $and: [{ _id: { $nin: hiddenFrom(caller) } }, mine ? ownOf(caller) : {}] } as Filter<ProjectDoc>;
      const filters = { tag: (tags: string) => ({ tags }) as Filter<ProjectDoc> };
      const { items, totalCount } = await keeper.page(caller, query, { within, filters });
      return toPage(await show.showAll(caller.tenantId, items), totalCount, query);
    },
    get: async ({ caller, params }) => show.detail((await access.require(caller, params.id)).project, caller),
    summary: async ({ caller, params, query }) => {
      const { project } = await access.require(caller, params.id);
      return summaries(project, query.days);
    },
    activity: async ({ caller, params, query: { fromUtc, toUtc, identityId, ...query } }) => {
      await access.require(caller, params.id);
      const within = {
        projectId: params.id,
        ...inSpan('createdAt', fromUtc, toUtc),
        ...(identityId === undefined ? {} : { actorId: identityId, actorKind: 'Identity' }),
      } as Filter<ActivityDoc>;
      const { items, totalCount } = await activities.page(caller, query, { within });
      return toPage(items.map(toActivityDto), totalCount, query);
    },
  };
}

/** What the caller owns, leads or is a member of. */
function ownOf({ userId, identityId }: Caller): Filter<ProjectDoc> {
  const own: Filter<ProjectDoc>[] = [
    ...(userId === null ? [] : [{ ownerUserId: userId }, { members: { $elemMatch: { userId } } }]),
    ...(identityId === null ? [] : [{ leadIdentityId: identityId }, { members: { $elemMatch: { identityId } } }]),
  ] as Filter<ProjectDoc>[];
  return { $or: own.length > 0 ? own : [{ _id: -1 }] };
}

/** Notes what was done to a project itself. */
export const noteOf =
  ({ activities }: Pick<ProjectsDeps, 'activities'>) =>
  (caller: Caller, project: ProjectDoc, action: string, detail: string | null = null) =>
    activities.insert(
      { tenantId: caller.tenantId },
      {
        projectId: project._id,
        kind: 'Project',
        action,
        targetId: project._id,
        title: project.name,
        detail,
        ...actorOf(caller),
      },
    );

/** @throws Fault for what a project's settings may not be */
async function check(deps: ProjectsDeps, caller: Caller, settings: Settings, project?: ProjectDoc): Promise<void> {
  const { ownerUserId, leadIdentityId, orgUnitId, repositoryUrl } = settings;
  await deps.units.require(caller.tenantId, orgUnitId);
  if (repositoryUrl != null) requireRepository(repositoryUrl, deps.allowsPrivate);
  const userIds = ownerUserId == null ? [] : [ownerUserId];
  const identityIds = leadIdentityId == null ? [] : [leadIdentityId];
  await requirePeople(deps, caller.tenantId, { userIds, identityIds }, project);
}

function settingHandlers(deps: ProjectsDeps): Pick<All, 'create' | 'patch' | 'replace'> {
  const { keeper, access, show, clock } = deps;
  const note = noteOf(deps);

  const change = async (caller: Caller, id: number, fields: Settings, least: ProjectRole = 'Maintainer') => {
    const { project, role } = await access.require(caller, id, least);
    await check(deps, caller, fields, project);
    let before: ProjectDoc | null = null;
    const changed = await keeper.change(
      caller,
      id,
      (old) => {
        before = old;
        requireUnarchived(old);
        if (fields.status !== undefined) requireProjectMove(old.status, fields.status);
        if (fields.ownerUserId !== undefined) requireOwnership(old, fields.ownerUserId, role);
        // Who points the repository elsewhere does not take what opened it along.
        const moves =
          fields.repositoryUrl !== undefined && originOf(fields.repositoryUrl) !== originOf(old.repositoryUrl);
        return moves ? { ...fields, repositoryCredentials: null } : fields;
      },
      { expecting: ['status', 'ownerUserId'] },
    );
    if (before && (before as ProjectDoc).status !== changed.status)
      await note(caller, changed, `moved to ${changed.status}`);
    else await note(caller, changed, 'changed', Object.keys(fields).join(', ') || null);
    if (fields.orgUnitId !== undefined) deps.units.changed();
    if (['ownerUserId', 'leadIdentityId', 'orgUnitId'].some((name) => fields[name] !== undefined)) deps.accessChanged();
    return show.show(changed);
  };

  return {
    create: async ({ caller, body }) => {
      const { key, ...rest } = body;
      const settings = defined(rest);
      await check(deps, caller, settings as Settings);
      const made = await deps.keeperFor(caller.tenantId).insert(caller, {
        ...plain,
        ...settings,
        name: body.name,
        siteEnabled: body.siteEnabled ?? false,
        tags: [...new Set(body.tags ?? [])],
        ownerUserId: body.ownerUserId ?? caller.userId,
        members: caller.userId === null && caller.identityId !== null ? [firstMember(caller.identityId, clock)] : [],
        key: key ?? (await freeKey(keeper, caller.tenantId, keyFrom(body.name))),
      } as Draft<ProjectDoc>);
      await note(caller, made, 'created');
      // Who has no part in it must not take it for an id that nobody declared.
      deps.accessChanged();
      return show.show(made);
    },
    patch: ({ caller, params, body }) => change(caller, params.id, defined(body) as Settings),
    replace: ({ caller, params, body }) =>
      change(caller, params.id, {
        ...cleared,
        ...defined(body),
        // An owner is handed over, never cleared by being left out.
        ownerUserId: body.ownerUserId ?? undefined,
      } as Settings),
  };
}

function lifeHandlers(deps: ProjectsDeps): Pick<All, 'archive' | 'members' | 'remove'> {
  const { keeper, access, show, content, clock } = deps;
  const note = noteOf(deps);
  return {
    archive: async ({ caller, params, body }) => {
      const { project } = await access.require(caller, params.id, 'Owner');
      const archived = body?.archived ?? true;
      if (archived === (project.status === 'Archived')) return show.show(project);
      const archivedAt = archived ? new Date(clock.now()) : null;
      const changed = await keeper.change(
        caller,
        params.id,
        (old) =>
          archived === (old.status === 'Archived')
            ? {}
            : { status: archived ? ('Archived' as const) : ('Active' as const), archivedAt },
        { expecting: ['status'] },
      );
      await note(caller, changed, archived ? 'archived' : 'restored');
      return show.show(changed);
    },
    members: async ({ caller, params, body }) => {
      const { project, role } = await access.require(caller, params.id, 'Maintainer');
      const ids = (name: 'userId' | 'identityId') => body.members.map((one) => one[name]).filter((id) => id != null);
      await requirePeople(deps, caller.tenantId, { userIds: ids('userId'), identityIds: ids('identityId') }, project);
      const changed = await keeper.change(
        caller,
        params.id,
        (old) => {
          requireUnarchived(old);
          return { members: membersOf(old, body.members, role, new Date(clock.now())) };
        },
        { expecting: ['updatedAt'] },
      );
      await note(caller, changed, 'changed members', `${changed.members.length} members`);
      deps.accessChanged();
      return show.detail(changed, caller);
    },
    remove: async ({ caller, params, body }) => {
      const { project } = await access.require(caller, params.id, 'Owner');
      if (project.status !== 'Archived')
        throw new Fault('CONFLICT', `The project ${project.name} is not archived.`, {
          hint: `Archive it first with POST /api/projects/${project._id}/archive.`,
        });
      if (body.confirmKey.trim().toUpperCase() !== project.key)
        throw new Fault('VALIDATION_FAILED', 'confirmKey is not the key of this project.', {
          hint: `Give "${project.key}" to delete it with all that is in it.`,
        });
      await content.remove(caller, project);
      deps.accessChanged();
      return null;
    },
  };
}

const cleared = {
  description: null,
  orgUnitId: null,
  leadIdentityId: null,
  repositoryUrl: null,
  defaultBranch: null,
  agentInstructions: null,
  siteSlug: null,
  icon: null,
  color: null,
};
const plain = {
  ...cleared,
  status: 'Active' as const,
  archivedAt: null,
  removingAt: null,
};

const firstMember = (identityId: number, clock: Clock) => ({
  id: 1,
  userId: null,
  identityId,
  role: 'Owner' as const,
  addedAt: new Date(clock.now()),
});

/** The key, or the first of it with a number that is free. */
async function freeKey(keeper: Keeper<ProjectDoc>, tenantId: number, key: string): Promise<string> {
  for (let at = 1; ; at++) {
    const wanted = at === 1 ? key : `${key}${at}`;
    if (!(await keeper.of(tenantId).findOne({ key: wanted }, { projection: { _id: 1 } }))) return wanted;
  }
}

const places: Partial<Record<ActivityDoc['kind'], string>> = {
  Run: '/api/agent/runs/',
  Fact: '/api/facts/',
  Task: '/api/tasks/',
  Doc: '/api/docs/',
  KnowledgeGoal: '/api/knowledge/goals/',
  StandingRule: '/api/standing-rules/',
  Project: '/api/projects/',
};

function toActivityDto({ _id, tenantId: _, projectId, createdAt, ...doc }: ActivityDoc) {
  const place = places[doc.kind];
  return {
    id: _id,
    ...doc,
    url: place ? `${place}${doc.targetId}` : `/api/projects/${projectId}/activity`,
    createdAtUtc: createdAt.toISOString(),
  };
}
