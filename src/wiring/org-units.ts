// Organisation units with what belongs to them, whichever part of the server keeps it.
import { identityRecord } from '../auth/collections.ts';
import { createAiRouterStore } from '../groups/ai-router/store.ts';
import { connectorRecord } from '../groups/connectors/record.ts';
import type { OrgUnitsDeps } from '../groups/org-units/base.ts';
import { orgUnitsService } from '../groups/org-units/service.ts';
import type { Belonging } from '../groups/org-units/show.ts';
import type { CountedRun } from '../groups/org-units/usage.ts';
import { createFigures } from '../groups/projects/figures.ts';
import { createShow } from '../groups/projects/show.ts';
import { workspaceRecord } from '../groups/workspaces/records.ts';
import { orgUnitInviteRecord, orgUnitMemberRecord, orgUnitRecord } from '../org-units/record.ts';
import type { Collection } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { ModelRouter } from '../ports/model-router.ts';
import { perTenant } from '../ports/tenanted.ts';
import { projectRecord } from '../projects/record.ts';
import { runs as runCollection } from '../stores/runs/collections.ts';
import { collections } from './storage.ts';

interface Deps
  extends Pick<
      OrgUnitsDeps,
      | 'db'
      | 'clock'
      | 'auth'
      | 'invited'
      | 'units'
      | 'policies'
      | 'accounts'
      | 'publisher'
      | 'publicUrl'
      | 'accessChanged'
    >,
    Pick<Parameters<typeof createShow>[0], 'users' | 'identities'> {
  ids: Ids;
  router: ModelRouter;
}

export function createOrgUnitsService({ ids, users, identities, ...deps }: Deps) {
  const { db, clock, units, router } = deps;
  const base = { db, ids, clock };
  const belonging = (spec: Parameters<typeof db.collection>[0]) =>
    perTenant(db.collection(spec) as unknown as Collection<Belonging>);
  const figures = createFigures({ db, kept: new Set(collections.map(({ name }) => name)) });
  return orgUnitsService({
    ...deps,
    keeper: createKeeper(orgUnitRecord, base),
    memberships: createKeeper(orgUnitMemberRecord, base),
    invitations: createKeeper(orgUnitInviteRecord, base),
    store: createAiRouterStore({ ...base, router }),
    identities: createKeeper(identityRecord, base),
    projects: createKeeper(projectRecord, base),
    showProjects: createShow({ users, identities, units, figures }),
    runs: perTenant(db.collection(runCollection) as unknown as Collection<CountedRun>),
    connectors: belonging(connectorRecord.spec as never),
    workspaces: belonging(workspaceRecord.spec as never),
  });
}
