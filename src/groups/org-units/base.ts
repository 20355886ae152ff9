// What the handlers of organisation units share: their records, what is looked for in them, and what a write brings about.
import type { Accounts } from '../../auth/accounts.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { IdentityDoc, RoleDoc, UserDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Invitations } from '../../org-units/invitations.ts';
import type { OrgUnitDoc, OrgUnitInviteDoc, OrgUnitMemberDoc } from '../../org-units/record.ts';
import type { UnitTree } from '../../org-units/tree.ts';
import { noUnit, type UnitsOfTenants } from '../../org-units/units.ts';
import type { Db, Filter } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import type { AiRouterStore } from '../ai-router/store.ts';
import type { ShowProjects } from '../projects/show.ts';

export interface OrgUnitsDeps {
  db: Db;
  clock: Clock;
  auth: AuthCollections;
  keeper: Keeper<OrgUnitDoc>;
  memberships: Keeper<OrgUnitMemberDoc>;
  invitations: Keeper<OrgUnitInviteDoc>;
  invited: Invitations;
  units: UnitsOfTenants;
  policies: Pick<Policies, 'of'>;
  store: AiRouterStore;
  router: Pick<ModelRouter, 'budgetUse'>;
  identities: Keeper<IdentityDoc>;
  projects: Keeper<ProjectDoc>;
  showProjects: ShowProjects;
  accounts: Pick<Accounts, 'mail'>;
  publicUrl: () => string;
  /** Called when somebody may have lost rights. */
  accessChanged: () => void;
}

export type Tree = UnitTree<OrgUnitDoc>;

export interface Base extends OrgUnitsDeps {
  /** A unit with the tree that it is in. @throws Fault NOT_FOUND */
  find(caller: Pick<Caller, 'tenantId'>, id: number): Promise<{ unit: OrgUnitDoc; tree: Tree }>;
  /** The unit and all below it. */
  idsBelow(tree: Tree, id: number): number[];
  users: PerTenant<UserDoc>;
  roles: PerTenant<RoleDoc>;
  /** Called after a write: what work belongs to and what people may do is asked anew. */
  changed(): void;
}

export function createBase(deps: OrgUnitsDeps & Pick<Base, 'users' | 'roles'>): Base {
  const { units, accessChanged } = deps;
  return {
    ...deps,
    async find({ tenantId }, id) {
      const tree = await units.treeOf(tenantId);
      const unit = tree.units.get(id);
      if (!unit) throw noUnit(id);
      return { unit, tree };
    },
    idsBelow: (tree, id) => tree.subtreeOf(id).map(({ _id }) => _id),
    changed: () => {
      units.changed();
      accessChanged();
    },
  };
}

/** @throws Fault NOT_FOUND for a user who is not there */
export async function requireUser({ users }: Base, tenantId: number, id: number | null | undefined): Promise<void> {
  if (id == null) return;
  if (await users(tenantId).findOne({ _id: id, deletedAt: null } as Filter<UserDoc>)) return;
  throw new Fault('NOT_FOUND', `There is no user ${id}.`, { hint: 'List users with GET /api/users.' });
}
