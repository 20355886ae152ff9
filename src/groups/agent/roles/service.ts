// Keeps role definitions: names unique in the tenant, those of the system protected.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { contains, type Filter } from '../../../ports/db.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import { defined } from '../../fields.ts';
import { agentRoles, roleSoul } from './contract.ts';
import type { RoleBudgets } from './role-content.ts';
import { plainBudgets, type RoleDoc, type Roles, toRoleDto } from './roles.ts';
import { roleAsSoul } from './soul.ts';
import { checkTemplate } from './template.ts';

export const agentRolesService = implement(agentRoles, ({ roles, clock }: { roles: Roles; clock: Clock }) => ({
  list: async ({ caller, query }) => {
    const { items, totalCount } = await pageOf(roles.of(caller.tenantId), {
      ...query,
      filter: toFilter(query),
      sort: sortOf(query.sort ?? 'sortOrder'),
    });
    return toPage(await Promise.all(items.map((role) => toDto(roles, role))), totalCount, query);
  },
  create: async ({ caller, body }) => {
    checkTemplate(body.systemPromptTemplate);
    await requireRoute(roles, caller, body.routeId);
    const budgets = { ...plainBudgets, ...onlyBudgets(body) };
    checkBudgets(budgets);
    const role = await roles
      .insert(caller.tenantId, {
        ...budgets,
        name: body.name,
        displayName: body.displayName ?? body.name,
        description: body.description ?? null,
        icon: body.icon ?? null,
        systemPromptTemplate: body.systemPromptTemplate,
        routeId: body.routeId ?? null,
        temperature: body.temperature ?? 0.3,
        fallbackModelId: body.fallbackModelId ?? null,
        enabled: body.enabled ?? true,
        sortOrder: body.sortOrder ?? 100,
      })
      .catch((error) => Promise.reject(nameTaken(error, body.name)));
    return toDto(roles, role);
  },
  get: async ({ caller, params }) => toDto(roles, await findRole(roles, caller, params.id)),
  byName: async ({ caller, params }) => {
    const role = await roles.findByName(caller.tenantId, params.name);
    if (role) return toDto(roles, role);
    throw new Fault('NOT_FOUND', `There is no role named ${params.name}.`, {
      hint: 'List roles with GET /api/agent/role-definitions.',
    });
  },
  patch: async ({ caller, params, body }) => {
    const role = await findRole(roles, caller, params.id);
    if (role.isSystem && body.name !== undefined && body.name !== role.name)
      throw new Fault('SYSTEM_PROTECTED', `The name of the system role ${role.name} is fixed.`, {
        hint: 'Change its displayName, or create a role of your own.',
      });
    if (body.systemPromptTemplate !== undefined) checkTemplate(body.systemPromptTemplate);
    await requireRoute(roles, caller, body.routeId);
    checkBudgets({ ...role, ...onlyBudgets(body) });
    const changed = await roles
      .of(caller.tenantId)
      .findOneAndUpdate(
        { _id: role._id, deletedAt: null },
        {
          $set: {
            ...defined(body),
            ...(body.name === undefined ? {} : { nameKey: body.name.toLowerCase() }),
            ...(role.isSystem ? { customised: true } : {}),
            updatedAt: new Date(clock.now()),
          },
        },
        { returnDocument: 'after' },
      )
      .catch((error) => Promise.reject(nameTaken(error, body.name ?? role.name)));
    if (!changed) throw noRole(params.id);
    return toDto(roles, changed);
  },
  remove: async ({ caller, params }) => {
    const role = await findRole(roles, caller, params.id);
    if (role.isSystem)
      throw new Fault('SYSTEM_PROTECTED', `The system role ${role.name} cannot be deleted.`, {
        hint: `Switch it off with PATCH /api/agent/role-definitions/${role._id} {"enabled": false}.`,
      });
    const now = new Date(clock.now());
    // The name is freed for a new role; runs of the past keep pointing to this one.
    await roles
      .of(caller.tenantId)
      .updateOne(
        { _id: role._id },
        { $set: { deletedAt: now, updatedAt: now, enabled: false, nameKey: `${role.nameKey} ${role.guid}` } },
      );
    return null;
  },
}));

export const roleSoulService = implement(roleSoul, ({ roles }: { roles: Roles }) => ({
  get: async ({ caller, params, query }) => {
    const role = await findRole(roles, caller, params.id);
    return {
      kind: 'file' as const,
      mediaType: 'text/markdown; charset=utf-8',
      body: roleAsSoul(role),
      ...(query.download ? { fileName: `${role.name.replaceAll(' ', '-')}.soul.md` } : {}),
    };
  },
}));

const toDto = async (roles: Roles, role: RoleDoc) => toRoleDto(role, await roles.routeName(role));

/** @throws Fault NOT_FOUND for a route that is not there */
async function requireRoute(roles: Roles, { tenantId }: Caller, routeId: number | null | undefined): Promise<void> {
  if (routeId == null || (await roles.routeName({ tenantId, routeId })) !== null) return;
  throw new Fault('NOT_FOUND', `There is no route ${routeId}.`, {
    hint: 'List routes with GET /api/ai-router/routes.',
  });
}

async function findRole(roles: Roles, caller: Caller, id: number): Promise<RoleDoc> {
  const role = await roles.find(caller.tenantId, id);
  if (!role) throw noRole(id);
  return role;
}

const noRole = (id: number) =>
  new Fault('NOT_FOUND', `There is no role definition ${id}.`, {
    hint: 'List roles with GET /api/agent/role-definitions.',
  });

function nameTaken(error: unknown, name: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'DUPLICATE') return error;
  return new Fault('DUPLICATE', `There is a role named ${name} already.`, {
    hint: `See GET /api/agent/role-definitions/by-name/${encodeURIComponent(name)}, or choose another name.`,
  });
}

const budgetNames = Object.keys(plainBudgets) as (keyof RoleBudgets)[];

function onlyBudgets(from: { [K in keyof RoleBudgets]?: number | undefined }): Partial<RoleBudgets> {
  return defined(Object.fromEntries(budgetNames.map((name) => [name, from[name]])));
}

function checkBudgets(budgets: RoleBudgets): void {
  if (budgets.defaultMaxIterations <= budgets.hardIterationCap) return;
  throw new Fault('VALIDATION_FAILED', 'defaultMaxIterations is above hardIterationCap.', {
    hint: `Lower defaultMaxIterations to ${budgets.hardIterationCap} or raise hardIterationCap.`,
  });
}

function toFilter(query: {
  q?: string | undefined;
  enabled?: boolean | undefined;
  isSystem?: boolean | undefined;
}): Filter<RoleDoc> {
  const { q, enabled, isSystem } = query;
  const text = q === undefined ? null : { $regex: contains(q), $options: 'i' as const };
  return {
    ...defined({ enabled, isSystem }),
    deletedAt: null,
    ...(text === null ? {} : { $or: [{ name: text }, { displayName: text }, { description: text }] }),
  };
}
