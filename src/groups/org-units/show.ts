// One unit with what is in it, and the tree of all.
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import { pendingIn } from '../../org-units/invitations.ts';
import type { OrgUnitDoc } from '../../org-units/record.ts';
import { createUnitRights } from '../../org-units/rights.ts';
import type { Collection, Filter } from '../../ports/db.ts';
import type { Tenanted } from '../../ports/tenanted.ts';
import { totalsOf } from '../ai-router/usage/totals.ts';
import type { Base, Tree } from './base.ts';
import { budgetOf, budgetsOfUnits } from './budget.ts';
import type { orgUnits } from './contract.ts';
import type { OrgUnitDto, OrgUnitTreeNodeDto } from './dto.ts';
import { countByUnit, createShowUnits } from './show-units.ts';
import { type CountedRun, callsFor, countRuns } from './usage.ts';

/** What belongs to a unit by its `orgUnitId`. */
export interface Belonging extends Tenanted {
  _id: number;
  orgUnitId: number | null;
}

export interface ShowBase extends Base {
  runs: (tenantId: number) => Collection<CountedRun>;
  connectors: (tenantId: number) => Collection<Belonging>;
}

type ReadHandlers = Pick<Handlers<typeof orgUnits>, 'get' | 'tree' | 'children' | 'ancestors'>;

const bySortOrder = (a: OrgUnitDoc, b: OrgUnitDoc) => a.sortOrder - b.sortOrder || a.name.localeCompare(b.name);
const unended = ['Queued', 'Running', 'WaitingForChildren', 'WaitingForDecision'] as const;

export function readHandlers(base: ShowBase): ReadHandlers {
  const { showAll } = createShowUnits(base);
  const unitRights = createUnitRights(base);

  /** What the caller is in a unit: its manager, by whatever membership, else what the nearest membership there or above says. */
  const roleNameOf = async (caller: Caller, tree: Tree, unit: OrgUnitDoc): Promise<string | null> => {
    const { tenantId, userId, identityId } = caller;
    const path = tree.pathOf(unit._id);
    if (userId !== null && path.some(({ managerUserId }) => managerUserId === userId)) return 'Manager';
    // Who manages a unit above may be something less in this one.
    if (caller.projects?.units?.managed.has(unit._id)) return 'Manager';
    const own = await unitRights.membershipsOf({ tenantId, userId, identityId });
    const nearest = path.map(({ _id }) => own.find(({ orgUnitId }) => orgUnitId === _id)).find(Boolean);
    if (!nearest) return null;
    if (nearest.isManager) return 'Manager';
    const role = nearest.roleId === null ? null : await base.roles(tenantId).findOne({ _id: nearest.roleId });
    return role?.name ?? 'Member';
  };

  return {
    get: async ({ caller, params }) => {
      const { unit, tree } = await base.find(caller, params.id);
      const { tenantId } = caller;
      const of = { orgUnitId: unit._id };
      const [
        [dto],
        projectCount,
        identityCount,
        connectorCount,
        activeRunCount,
        pendingInviteCount,
        { own, dto: budget },
      ] = await Promise.all([
        showAll(tree, [unit]),
        base.projects.of(tenantId).countDocuments({ ...of, deletedAt: null }),
        base.identities.of(tenantId).countDocuments({ ...of, deletedAt: null } as never),
        base.connectors(tenantId).countDocuments(of),
        countRuns(base, base.runs(tenantId), { tenantId, unitIds: tree.idsBelow(unit._id) }, {
          status: { $in: [...unended] },
        } as Filter<CountedRun>),
        base.invitations.of(tenantId).countDocuments(pendingIn(unit._id, base.clock.now())),
        budgetOf(base, caller, tree, unit._id),
      ]);
      return {
        ...(dto as OrgUnitDto),
        ...{ projectCount, identityCount, connectorCount, activeRunCount, pendingInviteCount },
        budget: own ? budget : null,
        defaultRoleId: unit.defaultRoleId,
        callerRoleName: await roleNameOf(caller, tree, unit),
      };
    },
    tree: async ({ caller, query: { rootId, depth } }) => {
      if (rootId !== undefined) await base.find(caller, rootId);
      return createTree(base)(caller, rootId ?? null, depth ?? Number.POSITIVE_INFINITY);
    },
    children: async ({ caller, params, query: { includeInactive } }) => {
      const { tree } = await base.find(caller, params.id);
      const children = tree.childrenOf(params.id).filter(({ isActive }) => includeInactive || isActive);
      return showAll(tree, [...children].sort(bySortOrder));
    },
    ancestors: async ({ caller, params }) => {
      const { tree } = await base.find(caller, params.id);
      return showAll(tree, tree.pathOf(params.id).reverse());
    },
  };
}

/** The tree with members, projects, and what the month has cost, each unit with those below it. */
function createTree(base: ShowBase) {
  return async (caller: Caller, rootId: number | null, depth: number): Promise<OrgUnitTreeNodeDto[]> => {
    const { tenantId } = caller;
    const tree = await base.units.treeOf(tenantId);
    const all = [...tree.units.keys()];
    const now = base.clock.now();
    const month = { from: new Date(new Date(now).toISOString().slice(0, 7)), to: new Date(now + 1) };
    const ofUnits = { ...callsFor(caller), orgUnitId: { $in: all } } as never;
    const [members, projects, budgets, { groups }] = await Promise.all([
      countByUnit(base.memberships.of(tenantId), all),
      countByUnit(base.projects.of(tenantId), all, { deletedAt: null }),
      budgetsOfUnits(base, tenantId),
      totalsOf(base.store.calls(tenantId), ofUnits, month, 'OrgUnit'),
    ]);
    const costOf = (id: number) =>
      tree.idsBelow(id).reduce((sum, one) => sum + (groups.get(String(one))?.costUsd ?? 0), 0);
    const nodeOf = (unit: OrgUnitDoc, levels: number): OrgUnitTreeNodeDto => {
      const { _id: id, parentId, name, key, kind, isActive, sortOrder } = unit;
      const budget = budgets.get(id);
      return {
        ...{ id, parentId, name, key, kind, isActive, sortOrder },
        memberCount: members.get(id) ?? 0,
        projectCount: projects.get(id) ?? 0,
        costUsdThisPeriod: costOf(id),
        budgetState: budget ? base.router.budgetUse(budget).state : null,
        children:
          levels <= 0 ? [] : [...tree.childrenOf(id)].sort(bySortOrder).map((child) => nodeOf(child, levels - 1)),
      };
    };
    const root = rootId === null ? undefined : tree.units.get(rootId);
    const roots = rootId === null ? [...tree.childrenOf(null)].sort(bySortOrder) : root ? [root] : [];
    return roots.map((one) => nodeOf(one, depth));
  };
}
