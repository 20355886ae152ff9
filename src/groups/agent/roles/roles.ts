// The role definitions of a tenant: stored, found by id or name, and seeded with those of the system.
import type { Clock } from '../../../kernel/clock.ts';
import { routeSpec } from '../../../ports/ai-router.ts';
import type { Db } from '../../../ports/db.ts';
import { ignoreDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import { createKeeper } from '../../../ports/keeper.ts';
import { record } from '../../../ports/record.ts';
import { shown } from '../../../ports/shown.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { AgentRoleDefinitionDto } from '../dto.ts';
import type { RoleBudgets, RoleContent } from './role-content.ts';
import { systemRoles } from './system-roles.ts';

export interface RoleDoc extends RoleContent {
  _id: number;
  guid: string;
  tenantId: number;
  /** Lower-case name, for look-ups and uniqueness within the tenant. */
  nameKey: string;
  isSystem: boolean;
  /** A system role that somebody has changed; upgrades leave it alone. */
  customised: boolean;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

const roleRecord = record<RoleDoc>('agent_roles', {
  noun: 'role definition',
  list: 'GET /api/agent/role-definitions',
  order: 'sortOrder',
  search: ['name', 'displayName', 'description'],
  uniqueName: true,
  // Runs of the past keep pointing to theirs.
  softDelete: true,
  indexes: [{ keys: { tenantId: 1, sortOrder: 1 } }],
});
export const { spec: roleSpec } = roleRecord;

/** Budgets of a role that names none: an hour, and room for some children. */
export const plainBudgets: RoleBudgets = {
  defaultMaxIterations: 40,
  defaultMaxTokens: 400_000,
  defaultMaxWallClockMs: 60 * 60_000,
  defaultPoolIterationBudget: 200,
  defaultPoolTokenBudget: 2_000_000,
  hardIterationCap: 200,
  contextBudgetTokens: 100_000,
};

export function createRoles({ db, ids, clock }: { db: Db; ids: Ids; clock: Clock }) {
  const keeper = createKeeper(roleRecord, { db, ids, clock });
  const { of } = keeper;
  const routes = perTenant(db.collection(routeSpec));

  return {
    of,
    keeper,
    find: (tenantId: number, id: number): Promise<RoleDoc | null> => keeper.find({ tenantId }, id),
    findByName: (tenantId: number, name: string): Promise<RoleDoc | null> => keeper.findByName({ tenantId }, name),
    /** Name of the route that a role's models come by; null where there is none. */
    routeName: async ({ tenantId, routeId }: Pick<RoleDoc, 'tenantId' | 'routeId'>): Promise<string | null> =>
      routeId === null ? null : ((await routes(tenantId).findOne({ _id: routeId }))?.name ?? null),
    /** Makes the system's roles that are missing and brings unchanged ones up to date. May run at every boot. */
    async seed(tenantId: number): Promise<void> {
      for (const content of systemRoles) {
        const existing = await of(tenantId).findOne({ nameKey: content.name.toLowerCase() });
        if (!existing) {
          const role = { ...content, isSystem: true, customised: false };
          await keeper.insert({ tenantId }, role).catch(ignoreDuplicate);
        }
        if (existing?.isSystem && !existing.customised && differs(existing, content))
          await of(tenantId).updateOne(
            { _id: existing._id, customised: false },
            { $set: { ...content, updatedAt: new Date(clock.now()) } },
          );
      }
    },
  };
}
export type Roles = ReturnType<typeof createRoles>;

const differs = (role: RoleDoc, content: RoleContent) =>
  (Object.keys(content) as (keyof RoleContent)[]).some((key) => role[key] !== content[key]);

export const toRoleDto = (role: RoleDoc, routeSummary: string | null): AgentRoleDefinitionDto =>
  shown(AgentRoleDefinitionDto, role, { routeSummary });
