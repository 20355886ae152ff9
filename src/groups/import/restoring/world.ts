// The identity that is restored, and its projects: made where they are not there, and removed by an undo.
import { randomUUID } from 'node:crypto';
import type { AuthCollections } from '../../../auth/collections.ts';
import { identityRecord } from '../../../auth/collections.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import { newUser } from '../../../auth/tenants.ts';
import { IdentityType } from '../../../contract/enums.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { nameTaken } from '../../../ports/keeper.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import type { ProjectDoc } from '../../../projects/record.ts';
import { projectRecord } from '../../../projects/record.ts';
import { storedFields } from '../../export/portable-records.ts';
import type { ImportDoc } from '../record.ts';
import { insertOnce, type Restoring, type RestoringDeps } from './restoring.ts';
import { type Whole, wholeOf } from './wholes.ts';

export interface WorldDeps extends RestoringDeps {
  auth: Pick<AuthCollections, 'users'>;
  identities: Keeper<IdentityDoc>;
  projects: PerTenant<ProjectDoc>;
  /** Called after identities and projects were made or removed: what callers may see is read anew. */
  accessChanged(): void;
}

/** Where things of projects are kept, and which of them count: what was taken back leaves marks. */
const inProjects: Readonly<Record<Lowercase<string>, object>> = {
  memories: {},
  fact_versions: { retractedAt: null },
  docs: { deletedAt: null },
  project_tasks: {},
  standing_rules: {},
  knowledge_goals: {},
  chat_sessions: {},
  agent_runs: {},
  session_handoffs: {},
  connectors: {},
};
/** Collections that leave marks, which are removed with a project that nobody else has used. */
const marked = ['facts', 'fact_versions', 'docs'] as const;

export function createWorld(deps: WorldDeps) {
  return {
    async make(r: Restoring): Promise<void> {
      await makeIdentity(deps, r);
      await makeProjects(deps, r);
      deps.accessChanged();
    },
    /** Removes what an import has made, once all that it wrote there is gone; a project that others use meanwhile stays. */
    async remove({ tenantId, commit }: ImportDoc): Promise<void> {
      if (!commit?.restore) return;
      const { makesIdentity, projects: chosen } = commit.restore;
      const by = { tenantId };
      const of = inTenant(deps, tenantId);
      for (const { projectId } of chosen.filter(({ isNew }) => isNew)) {
        if (await isUsed(of, projectId)) continue;
        for (const name of marked) await of(name).deleteMany({ projectId });
        await deps.projects(tenantId).deleteOne({ _id: projectId });
      }
      const identity = makesIdentity ? await deps.identities.find(by, commit.identityId) : null;
      if (identity) {
        await deps.identities.change(by, identity._id, { isActive: false });
        await deps.identities.remove(by, identity._id);
        await deps.auth.users.deleteOne({ _id: identity.userId });
      }
      deps.accessChanged();
    },
  };
}

type InProject = { _id: number; tenantId: number; projectId: number };
const inTenant =
  ({ db }: WorldDeps, tenantId: number) =>
  (name: Lowercase<string>) =>
    perTenant(db.collection<InProject>({ name, indexes: [] }))(tenantId);

async function isUsed(of: ReturnType<typeof inTenant>, projectId: number): Promise<boolean> {
  for (const [name, counts] of Object.entries(inProjects) as [Lowercase<string>, object][])
    if (await of(name).findOne({ projectId, ...counts }, { projection: { _id: 1 } })) return true;
  return false;
}

async function makeIdentity({ auth, identities, clock }: WorldDeps, r: Restoring): Promise<void> {
  if (!r.restore.makesIdentity) return;
  for await (const item of r.itemsOf('identity')) {
    const data = wholeOf('identity', item);
    const type = IdentityType.safeParse(data.type).data ?? 'AI';
    const now = new Date(clock.now());
    const guid = randomUUID();
    const letters = data.name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    // The same for whoever goes on after a crash.
    const username = `${letters.slice(0, 60)}-${r.restore.identityUserId}`;
    const made = newUser(
      { username, displayName: data.name, email: null, passwordHash: null },
      { tenantId: r.by.tenantId, role: type === 'Human' ? 'Member' : 'Agent' },
      r.restore.identityUserId,
      now,
    );
    await insertOnce(auth.users, { ...made, guid, type: type === 'AI' ? 'Agent' : type });
    try {
      await insertOnce(identities.of(r.by.tenantId), identityOf(r, data, { type, username, now }));
    } catch (error) {
      throw isDuplicate(error) ? nameTaken(identityRecord.noun, data.name, error) : error;
    }
  }
}

async function makeProjects({ db, projects }: WorldDeps, r: Restoring): Promise<void> {
  const all = db.collection(projectRecord.spec);
  for await (const item of r.itemsOf('project')) {
    const data = wholeOf('project', item);
    const choice = r.restore.projects.find(({ key }) => key === data.key);
    if (!choice?.isNew) continue;
    const isTaken = data.siteSlug !== null && (await all.findOne({ siteSlug: data.siteSlug })) !== null;
    const fields = { ...storedFields('project', data), ...(isTaken && { siteSlug: null }) };
    await insertOnce(projects(r.by.tenantId), projectOf(r, data, { _id: choice.projectId, fields }));
  }
}

export type World = ReturnType<typeof createWorld>;

function identityOf(
  { by, identityId, restore }: Restoring,
  { name, displayName, bio, origin, tags, settings }: Whole<'identity'>,
  { type, username, now }: { type: IdentityDoc['type']; username: string; now: Date },
): IdentityDoc {
  const { toolProfileName, ...rest } = settings;
  return {
    ...rest,
    work: toolProfileName === null ? null : { toolProfileName },
    _id: identityId,
    guid: randomUUID(),
    tenantId: by.tenantId,
    userId: restore.identityUserId,
    username,
    name,
    nameKey: name.toLowerCase(),
    displayName,
    bio,
    origin,
    provisionedByIdentityId: null,
    stewardUserId: restore.userId,
    expiresAt: null,
    adoptedAt: null,
    type,
    presenceState: 'Dormant',
    isActive: true,
    tags,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}

function projectOf(
  r: Restoring,
  { role, leads, createdAtUtc }: Whole<'project'>,
  { _id, fields }: { _id: number; fields: object },
): ProjectDoc {
  const addedAt = r.past(createdAtUtc);
  return {
    ...(fields as Pick<ProjectDoc, 'key' | 'name'>),
    _id,
    guid: randomUUID(),
    tenantId: r.by.tenantId,
    orgUnitId: null,
    ownerUserId: r.restore.userId,
    leadIdentityId: leads ? r.identityId : null,
    siteEnabled: false,
    members: leads && role === 'Maintainer' ? [] : [{ id: 1, userId: null, identityId: r.identityId, role, addedAt }],
    removingAt: null,
    createdAt: addedAt,
    updatedAt: addedAt,
    deletedAt: null,
  } as ProjectDoc;
}
