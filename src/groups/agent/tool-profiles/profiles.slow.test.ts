import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRoles, roleSpec } from '../roles/roles.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { createToolProfiles, profileSpec } from './profiles.ts';
import { agentToolProfilesService } from './service.ts';

let world: AgentWorld;
let roles: ReturnType<typeof createRoles>;
let profiles: ReturnType<typeof createToolProfiles>;
let api: ReturnType<typeof agentToolProfilesService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld([roleSpec, profileSpec]);
  roles = createRoles(world);
  profiles = createToolProfiles(world);
  api = agentToolProfilesService({ profiles, roles }).handlers;
});
afterEach(() => world.close());

const create = (body: { role: string; name: string; [field: string]: unknown }) =>
  api.create({ ...noQuery, params: {}, caller: world.caller, body });
const byRole = (role: string) => api.byRole({ ...noQuery, params: { role }, caller: world.caller, body: undefined });
const lists = { safeTools: [], optInTools: [], blockedTools: [], sandboxedTools: [], discoveryEnabled: true };

describe('tool profiles', () => {
  it('belong to a role, by definition where there is one', async () => {
    await roles.seed(world.tenantId);
    const coder = await roles.findByName(world.tenantId, 'coder');
    const strict = await create({
      role: 'CODER',
      name: 'strict',
      roleDefinitionId: coder?._id,
      optInTools: ['shell_*'],
    });
    expect(strict).toEqual({
      ...lists,
      id: strict.id,
      role: 'coder',
      roleDefinitionId: coder?._id,
      name: 'strict',
      description: null,
      optInTools: ['shell_*'],
    });
    expect((await create({ role: 'free', name: 'free' })).roleDefinitionId).toBeNull();
    expect(await codeOf(() => create({ role: 'worker', name: 'x', roleDefinitionId: coder?._id }))).toBe(
      'VALIDATION_FAILED',
    );
    expect(await codeOf(() => create({ role: 'worker', name: 'x', roleDefinitionId: 999 }))).toBe('NOT_FOUND');
  });

  it('are found by role, the oldest first, and replaced whole', async () => {
    const first = await create({ role: 'diver', name: 'wet', blockedTools: ['http_fetch'] });
    await create({ role: 'diver', name: 'dry' });
    expect(await byRole('Diver')).toEqual(first);
    const replaced = await api.replace({
      ...noQuery,
      params: { id: first.id },
      caller: world.caller,
      body: { ...lists, role: 'diver', name: 'deep', safeTools: ['memory_*'], discoveryEnabled: false },
    });
    expect(replaced).toMatchObject({ id: first.id, name: 'deep', blockedTools: [], safeTools: ['memory_*'] });
    expect(await byRole('diver')).toEqual(replaced);
    expect((await profiles.findByName(world.tenantId, 'WET'))?._id).toBeUndefined();
  });

  it('take a name once and say what is missing', async () => {
    const one = await create({ role: 'a', name: 'One' });
    await create({ role: 'b', name: 'two' });
    expect(await codeOf(() => create({ role: 'b', name: 'one' }))).toBe('DUPLICATE');
    const body = { ...lists, role: 'a', name: 'TWO' };
    const replace = (id: number) => api.replace({ ...noQuery, params: { id }, caller: world.caller, body });
    expect(await codeOf(() => replace(one.id))).toBe('DUPLICATE');
    expect(await codeOf(() => replace(999))).toBe('NOT_FOUND');
    expect(await codeOf(() => byRole('nobody'))).toBe('NOT_FOUND');
  });

  it('are seeded for the roles of the system, once', async () => {
    await roles.seed(world.tenantId);
    await profiles.seed(world.tenantId, roles);
    await profiles.seed(world.tenantId, roles);
    const { items } = await api.list({
      params: {},
      caller: world.caller,
      body: undefined,
      query: { ...paging },
      request,
    });
    expect(items.map((one) => one.role)).toEqual([
      'coder',
      'planner',
      'researcher',
      'reviewer',
      'supervisor',
      'worker',
    ]);
    expect((await byRole('reviewer')).blockedTools).toEqual(['file_write']);
    expect(items.every((one) => one.roleDefinitionId !== null)).toBe(true);
  });
});
