import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RouteDoc, routeSpec } from '../../../ports/ai-router.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { createRoles, roleSpec } from './roles.ts';
import { agentRolesService, roleSoulService } from './service.ts';
import { systemRoles } from './system-roles.ts';
import { checkTemplate, renderTemplate } from './template.ts';

let world: AgentWorld;
let roles: ReturnType<typeof createRoles>;
let api: ReturnType<typeof agentRolesService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld([roleSpec]);
  roles = createRoles(world);
  await roles.seed(world.tenantId);
  api = agentRolesService({ roles }).handlers;
});
afterEach(() => world.close());

const list = (query: object = {}, caller = world.caller) =>
  api.list({ params: {}, caller, body: undefined, query: { ...paging, ...query }, request });
const create = (body: object) =>
  api.create({
    ...noQuery,
    params: {},
    caller: world.caller,
    body: { name: 'scribe', systemPromptTemplate: 'You write for {{agent}}.', ...body },
  });
const byName = (name: string) => api.byName({ ...noQuery, params: { name }, caller: world.caller, body: undefined });
const get = (id: number, caller = world.caller) => api.get({ ...noQuery, params: { id }, caller, body: undefined });
const patch = (id: number, body: object) => api.patch({ ...noQuery, params: { id }, caller: world.caller, body });
const remove = (id: number) => api.remove({ ...noQuery, params: { id }, caller: world.caller, body: undefined });

describe('system roles', () => {
  it('are there from the start, in their order, with templates that render', async () => {
    const { items, totalCount } = await list({ isSystem: true });
    expect(items.map((role) => role.name)).toEqual([
      'worker',
      'researcher',
      'coder',
      'reviewer',
      'planner',
      'supervisor',
    ]);
    expect(totalCount).toBe(6);
    for (const role of systemRoles) {
      expect(() => checkTemplate(role.systemPromptTemplate)).not.toThrow();
      expect(role.defaultMaxIterations).toBeLessThanOrEqual(role.hardIterationCap);
      expect(role.defaultMaxTokens).toBeLessThanOrEqual(role.defaultPoolTokenBudget);
    }
  });

  it('are seeded once, brought up to date, and left alone when somebody changed them', async () => {
    const [worker, coder] = [await byName('worker'), await byName('coder')];
    await patch(coder.id, { defaultMaxIterations: 7 });
    await roles.of(world.tenantId).updateOne({ _id: worker.id }, { $set: { systemPromptTemplate: 'an older text' } });
    await Promise.all([roles.seed(world.tenantId), createRoles(world).seed(world.tenantId)]);
    expect(await byName('worker')).toEqual(worker);
    expect((await byName('coder')).defaultMaxIterations).toBe(7);
    expect((await list()).totalCount).toBe(6);
  });

  it('can be changed and switched off, but not renamed or deleted', async () => {
    const { id } = await byName('Planner');
    expect(await codeOf(() => remove(id))).toBe('SYSTEM_PROTECTED');
    expect(await codeOf(() => patch(id, { name: 'plotter' }))).toBe('SYSTEM_PROTECTED');
    expect(await patch(id, { enabled: false, name: 'planner' })).toMatchObject({ enabled: false, isSystem: true });
    expect((await list({ enabled: false })).items.map((role) => role.id)).toEqual([id]);
  });
});

describe('role definitions', () => {
  it('are created with sensible budgets and found by id and name', async () => {
    const role = await create({ description: 'Writes things down', hardIterationCap: 50 });
    expect(role).toMatchObject({
      name: 'scribe',
      displayName: 'scribe',
      isSystem: false,
      enabled: true,
      hardIterationCap: 50,
      defaultMaxIterations: 40,
      routeSummary: null,
      temperature: 0.3,
      createdAtUtc: '2026-01-01T00:00:00.000Z',
    });
    expect(await get(role.id)).toEqual(role);
    expect(await byName('SCRIBE')).toEqual(role);
    expect((await list({ q: 'things DOWN' })).items).toEqual([role]);
  });

  it('take names once, whatever their case, until they are deleted', async () => {
    const role = await create({});
    expect(await codeOf(() => create({ name: 'Scribe' }))).toBe('DUPLICATE');
    expect(await codeOf(() => patch(role.id, { name: 'coder' }))).toBe('DUPLICATE');
    await remove(role.id);
    expect(await codeOf(() => get(role.id))).toBe('NOT_FOUND');
    expect(await codeOf(() => remove(role.id))).toBe('NOT_FOUND');
    expect((await create({})).id).not.toBe(role.id);
  });

  it('refuse budgets and templates that cannot work', async () => {
    expect(await codeOf(() => create({ defaultMaxIterations: 300 }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => create({ systemPromptTemplate: 'Hello {{nobody}}' }))).toBe('VALIDATION_FAILED');
    const role = await create({});
    expect(await codeOf(() => patch(role.id, { hardIterationCap: 10 }))).toBe('VALIDATION_FAILED');
    expect(await get(role.id)).toEqual(role);
  });

  it('name the route of their models, which must be there', async () => {
    expect(await codeOf(() => create({ routeId: 77 }))).toBe('NOT_FOUND');
    const role = await create({});
    expect(await codeOf(() => patch(role.id, { routeId: 77 }))).toBe('NOT_FOUND');
    await world.db.collection(routeSpec).insertOne({ _id: 77, tenantId: world.tenantId, name: 'Cheap' } as RouteDoc);
    expect(await patch(role.id, { routeId: 77 })).toMatchObject({ routeSummary: 'Cheap' });
    expect(await get(role.id)).toMatchObject({ routeSummary: 'Cheap' });
    expect(await patch(role.id, { routeId: null })).toMatchObject({ routeSummary: null });
  });

  it('are changed in part: null clears, what is left out stays', async () => {
    const role = await create({ description: 'a', fallbackModelId: 'openai:x' });
    const changed = await patch(role.id, { description: null, temperature: 1 });
    expect(changed).toEqual({ ...role, description: null, temperature: 1 });
  });

  it('are not seen by another tenant', async () => {
    const stranger = { ...world.caller, tenantId: 999 };
    const { id } = await byName('worker');
    expect(await codeOf(() => get(id, stranger))).toBe('NOT_FOUND');
    expect((await list({}, stranger)).totalCount).toBe(0);
  });
});

describe('templates', () => {
  it('fill placeholders once, so that values are never read as templates', () => {
    const values = { agent: '{{goal}}', role: 'r', goal: 'secret', date: 'd', deliverable: '$&', destination: '' };
    expect(renderTemplate('{{ agent }}, {{deliverable}}: {{unknown}}', values)).toBe('{{goal}}, $&: {{unknown}}');
  });
});

describe('soul.md', () => {
  it('is the role as Markdown that an import reads back', async () => {
    const soul = roleSoulService({ roles }).handlers;
    const role = await create({
      icon: '✒️',
      displayName: 'Scribe',
      description: 'Writes.',
      fallbackModelId: 'openai:x',
    });
    const reply = await soul.get({
      params: { id: role.id },
      caller: world.caller,
      body: undefined,
      query: { download: true },
      request,
    });
    expect(reply).toEqual({
      kind: 'file',
      mediaType: 'text/markdown; charset=utf-8',
      fileName: 'scribe.soul.md',
      body: expect.stringContaining(
        '# ✒️ Scribe\n\n## Bio\n\nWrites.\n\n## System Prompt\n\nYou write for {{agent}}.\n',
      ),
    });
  });
});
