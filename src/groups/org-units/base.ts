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
import type { Publisher } from '../../ports/stream.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import type { AiRouterStore } from '../ai-router/store.ts';
import type { ShowProjects } from '../projects/show.ts';
import type { OrgUnitDto } from './dto.ts';
import { createShowUnits } from './show-units.ts';

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
  publisher: Publisher;
  publicUrl: () => string;
  /** Called when somebody may have lost rights. */
  accessChanged: () => void;
}

export type Tree = UnitTree<OrgUnitDoc>;

export interface Base extends OrgUnitsDeps {
  /** A unit with the tree that it is in. @throws Fault NOT_FOUND */
  find(caller: Pick<Caller, 'tenantId'>, id: number): Promise<{ unit: OrgUnitDoc; tree: Tree }>;
  users: PerTenant<UserDoc>;
  roles: PerTenant<RoleDoc>;
  /** Called after a write: what work belongs to and what people may do is asked anew, and who follows units hears of it. */
  changed(unit: Pick<OrgUnitDoc, '_id' | 'tenantId'>): Promise<void>;
  /** Tells what has become of a unit. */
  tell(tenantId: number, unit: OrgUnitDto): Promise<unknown>;
}

export function createBase(deps: OrgUnitsDeps & Pick<Base, 'users' | 'roles'>): Base {
  const { units, accessChanged, publisher } = deps;
  const base: Base = {
    ...deps,
    async find({ tenantId }, id) {
      const tree = await units.treeOf(tenantId);
      const unit = tree.units.get(id);
      if (!unit) throw noUnit(id);
      return { unit, tree };
    },
    async changed({ _id, tenantId }) {
      units.changed();
      accessChanged();
      const tree = await units.treeOf(tenantId);
      const unit = tree.units.get(_id);
      const [dto] = unit ? await createShowUnits(base).showAll(tree, [unit]) : [];
      if (dto) await base.tell(tenantId, dto);
    },
    tell: (tenantId, data) => publisher.publish({ tenantId, topics: ['org-units'], type: 'org.unit.updated', data }),
  };
  return base;
}

/** @throws Fault NOT_FOUND for a user who is not there */
export async function requireUser({ users }: Base, tenantId: number, id: number | null | undefined): Promise<void> {
  if (id == null) return;
  if (await users(tenantId).findOne({ _id: id, deletedAt: null } as Filter<UserDoc>)) return;
  throw new Fault('NOT_FOUND', `There is no user ${id}.`, { hint: 'List users with GET /api/users.' });
}
