// Keeps organisation units: made, changed, moved and removed; what is in them is served beside this.
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { OrgUnitDoc } from '../../org-units/record.ts';
import { createUnitRights } from '../../org-units/rights.ts';
import { mostLevels } from '../../org-units/tree.ts';
import type { Collection, Filter } from '../../ports/db.ts';
import { type PerTenant, perTenant, type Tenanted } from '../../ports/tenanted.ts';
import { defined, given } from '../fields.ts';
import { type Base, createBase, type OrgUnitsDeps, requireUser, type Tree } from './base.ts';
import { belongingHandlers } from './belongings.ts';
import { budgetHandlers, budgetsOfUnits } from './budget.ts';
import { orgUnits } from './contract.ts';
import { inviteHandlers } from './invites.ts';
import { memberHandlers } from './members.ts';
import { policyHandlers } from './policy.ts';
import { roleHandlers } from './roles.ts';
import { type Belonging, readHandlers } from './show.ts';
import { createShowUnits } from './show-units.ts';
import { type CountedRun, usageHandlers } from './usage.ts';

export interface OrgUnitsServiceDeps extends OrgUnitsDeps {
  runs: PerTenant<CountedRun>;
  connectors: PerTenant<Belonging>;
  workspaces: PerTenant<Belonging>;
}

type All = Handlers<typeof orgUnits>;

export const orgUnitsService = implement(orgUnits, (deps: OrgUnitsServiceDeps) => {
  const base = {
    ...createBase({ ...deps, users: perTenant(deps.auth.users), roles: perTenant(deps.auth.roles) }),
    ...{ runs: deps.runs, connectors: deps.connectors },
  };
  return {
    ...readHandlers(base),
    ...settingHandlers(base),
    ...placeHandlers(base, deps),
    ...memberHandlers(base),
    ...inviteHandlers(base),
    ...roleHandlers(base),
    ...budgetHandlers(base),
    ...usageHandlers(base),
    ...policyHandlers(base),
    ...belongingHandlers(base),
  };
});

const fresh = {
  ...{ description: null, kind: 'Team' as const, managerUserId: null, costCenter: null, sortOrder: 0, isActive: true },
  ...{ roleIds: null, inheritRoles: true, defaultRoleId: null, policy: null, policyUpdatedAt: null },
};

function settingHandlers(base: Base): Pick<All, 'list' | 'create' | 'replace' | 'patch'> {
  const { keeper, units } = base;
  const { showAll, show } = createShowUnits(base);
  const unitRights = createUnitRights(base);

  const change = async (caller: Caller, id: number, fields: Partial<OrgUnitDoc>) => {
    await requireUser(base, caller.tenantId, fields.managerUserId);
    const changed = await keeper.change(caller, id, fields);
    await base.changed(changed);
    return show(changed);
  };

  return {
    list: async ({ caller, query: { mine, ...query } }) => {
      const { tenantId, userId, identityId } = caller;
      const own = mine ? await unitRights.of({ tenantId, userId, identityId }) : null;
      const within = mine ? ({ _id: { $in: [...(own?.roles.keys() ?? [])] } } as Filter<OrgUnitDoc>) : null;
      const { items, totalCount } = await keeper.page(caller, query, within ? { within } : {});
      return toPage(await showAll(await units.treeOf(tenantId), items), totalCount, query);
    },
    create: async ({ caller, body }) => {
      const { name, key, parentId = null, ...settings } = body;
      await requireUser(base, caller.tenantId, settings.managerUserId);
      const tree = await units.treeOf(caller.tenantId);
      requirePlace(tree, parentId, 1);
      const made = await keeper.insert(caller, {
        ...fresh,
        ...given(settings),
        ...{ name, parentId, key: key ?? freeKey(tree, keyFrom(name)) },
      });
      await base.changed(made);
      return show(made);
    },
    patch: ({ caller, params, body }) => change(caller, params.id, defined(body) as Partial<OrgUnitDoc>),
    replace: ({ caller, params, body }) =>
      change(caller, params.id, { description: null, managerUserId: null, costCenter: null, ...defined(body) }),
  };
}

/** A key from a name: its letters and digits, with dashes between words. */
export function keyFrom(name: string): string {
  const key = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return key || 'unit';
}

function freeKey(tree: Tree, wanted: string): string {
  const taken = new Set([...tree.units.values()].map(({ key }) => key));
  for (let at = 1; ; at++) {
    const key = at === 1 ? wanted : `${wanted}-${at}`;
    if (!taken.has(key)) return key;
  }
}

/** @throws Fault NOT_FOUND for a parent that is not there; VALIDATION_FAILED where the tree would be too deep */
function requirePlace(tree: Tree, parentId: number | null, levels: number): void {
  if (parentId === null) return;
  const path = tree.pathOf(parentId);
  if (path.length === 0)
    throw new Fault('NOT_FOUND', `There is no organisation unit ${parentId}.`, {
      field: 'parentId',
      hint: 'List them with GET /api/org-units.',
    });
  if (path.length + levels <= mostLevels) return;
  throw new Fault('VALIDATION_FAILED', `Units are ${mostLevels} levels deep at most.`, {
    field: 'parentId',
    hint: 'Choose a unit that is higher up.',
  });
}

/** The levels of a unit with all below it. */
const levelsOf = (tree: Tree, id: number): number =>
  1 + Math.max(0, ...tree.childrenOf(id).map((child) => levelsOf(tree, child._id)));

type Places = Pick<OrgUnitsServiceDeps, 'connectors' | 'workspaces'>;

function placeHandlers(base: Base, places: Places): Pick<All, 'move' | 'remove'> {
  const { keeper, units } = base;
  const { show } = createShowUnits(base);
  return {
    move: async ({ caller, params, body: { parentId = null, sortOrder } }) => {
      const { unit, tree } = await base.find(caller, params.id);
      requireOutside(tree, unit, parentId);
      requirePlace(tree, parentId, levelsOf(tree, unit._id));
      const moved = await keeper.change(caller, unit._id, { parentId, ...(sortOrder != null && { sortOrder }) });
      // Two moves at the same moment may close a circle: who sees it takes theirs back.
      const now = await units.treeOf(caller.tenantId);
      if (isInCircle(now, unit._id)) {
        await keeper.change(caller, unit._id, { parentId: unit.parentId });
        await base.changed(unit);
        throw circle(unit);
      }
      await base.changed(moved);
      return show(moved);
    },
    remove: async ({ caller, params, body }) => {
      const { unit, tree } = await base.find(caller, params.id);
      const to = body?.moveToOrgUnitId ?? null;
      if (to === null) await requireEmpty(base, places, unit, tree);
      else {
        requireOutside(tree, unit, to);
        requirePlace(tree, to, Math.max(0, ...tree.childrenOf(unit._id).map(({ _id }) => levelsOf(tree, _id))));
        await moveContent(base, places, caller, unit, tree, to);
      }
      // What nobody has accepted goes with it, as does its budget.
      await base.invitations.of(caller.tenantId).deleteMany({ orgUnitId: unit._id });
      const budget = (await budgetsOfUnits(base, caller.tenantId)).get(unit._id);
      if (budget) await base.store.budgets.remove(caller, budget._id);
      const dto = await show(unit);
      await keeper.remove(caller, unit._id);
      await base.changed(unit);
      await base.tell(caller.tenantId, { ...dto, isActive: false });
      return null;
    },
  };
}

const isInCircle = (tree: Tree, id: number): boolean => {
  const top = tree.pathOf(id).at(-1);
  return top !== undefined && top.parentId !== null && tree.units.has(top.parentId);
};

/** @throws Fault CONFLICT for a place within the unit itself */
function requireOutside(tree: Tree, unit: OrgUnitDoc, parentId: number | null): void {
  if (parentId !== null && tree.pathOf(parentId).some(({ _id }) => _id === unit._id)) throw circle(unit);
}

const circle = ({ name }: OrgUnitDoc) =>
  new Fault('CONFLICT', `${name} cannot be placed below itself.`, { hint: 'Choose a unit that is not below it.' });

/** What belongs to units, by what it is called. */
function contentOf(base: Base, { connectors, workspaces }: Places, tenantId: number) {
  const of = (collection: unknown) => collection as Collection<Tenanted & { orgUnitId: number | null }>;
  return {
    projects: of(base.projects.of(tenantId)),
    identities: of(base.identities.of(tenantId)),
    connectors: of(connectors(tenantId)),
    workspaces: of(workspaces(tenantId)),
    members: of(base.memberships.of(tenantId)),
  };
}

/** @throws Fault IN_USE, with what is in it */
async function requireEmpty(base: Base, places: Places, unit: OrgUnitDoc, tree: Tree): Promise<void> {
  const counts = await Promise.all(
    Object.entries(contentOf(base, places, unit.tenantId)).map(async ([what, collection]) => {
      const removed = what === 'projects' || what === 'identities' ? { deletedAt: null } : {};
      return [what, await collection.countDocuments({ orgUnitId: unit._id, ...removed } as never)] as const;
    }),
  );
  const all = [['units', tree.childrenOf(unit._id).length] as const, ...counts].filter(([, count]) => count > 0);
  if (all.length === 0) return;
  throw new Fault('IN_USE', `${unit.name} has ${all.map(([what, count]) => `${count} ${what}`).join(', ')}.`, {
    hint: 'Send moveToOrgUnitId to move what is in it to another unit.',
  });
}

/** Moves all that is in a unit: what a crash cuts short is completed by the next request. */
async function moveContent(base: Base, places: Places, caller: Caller, unit: OrgUnitDoc, tree: Tree, to: number) {
  for (const child of tree.childrenOf(unit._id)) await base.keeper.change(caller, child._id, { parentId: to });
  const { members, ...rest } = contentOf(base, places, caller.tenantId);
  for (const collection of Object.values(rest))
    await collection.updateMany({ orgUnitId: unit._id }, { $set: { orgUnitId: to } });
  const there = await base.memberships.of(caller.tenantId).find({ orgUnitId: to }).toArray();
  const moving = await base.memberships.of(caller.tenantId).find({ orgUnitId: unit._id }).toArray();
  for (const { _id, userId, identityId } of moving) {
    // Who is a member there already stays what they are there.
    const isThere = there.some((one) => one.userId === userId && one.identityId === identityId);
    if (isThere) await members.deleteOne({ _id } as never);
    else await base.memberships.change(caller, _id, { orgUnitId: to });
  }
}
