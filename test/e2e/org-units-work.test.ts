// What organisation units mean for work: their policies, budgets and connectors, and what they have used.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { Answer } from '../support/test-server.ts';

let world: ServerWithModel;
let identityId: number;
beforeAll(async () => {
  world = await startServerWithModel();
  const [admin] = (await data(call('GET', '/identities'))).items;
  identityId = admin.id;
});
afterAll(() => world.close());
beforeEach(() => {
  world.model.otherwise = () => ({ text: ['Done.'] });
});

const call = (method: string, path: string, body?: unknown) => world.server.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
let count = 0;
const unit = (fields: object = {}) => data(call('POST', '/org-units', { name: `Unit ${++count}`, ...fields }));
/** A unit with one above it, and a project in it. */
const place = async () => {
  const top = await unit();
  const team = await unit({ parentId: top.id });
  const { id: projectId } = await data(call('POST', '/projects', { name: `Of ${team.name}`, orgUnitId: team.id }));
  return { top, team, projectId };
};
const setPolicy = (id: number, fields: object) => call('PUT', `/org-units/${id}/policy`, fields);
const setBudget = (id: number, fields: object) =>
  data(call('PUT', `/org-units/${id}/budget`, { period: 'Month', ...fields }));
const run = (body: object = {}) => data(call('POST', '/agent/runs', { goal: 'Work.', autoStart: true, ...body }));
const ended = async (id: number, status = 'Completed') => {
  await expect.poll(async () => (await data(call('GET', `/agent/runs/${id}`))).status).toBe(status);
  return data(call('GET', `/agent/runs/${id}`));
};
const calling = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});
const toolsOffered = () => JSON.stringify(world.model.requests.at(-1)?.body.tools ?? []);

it('tighten what is above them, and never widen it', async () => {
  const { top, team } = await place();
  await data(setPolicy(top.id, { maxSpawnDepth: 3, allowedModelIds: ['openai:small*'], blockedTools: ['email_*'] }));
  const refused = (fields: object, hint?: RegExp) => failure(setPolicy(team.id, fields), 403, 'POLICY_VIOLATION', hint);
  await refused({ maxSpawnDepth: 4 }, /inherit/);
  await refused({ allowedModelIds: ['openai:large'] });
  await refused({ allowedModelIds: ['openai:*'] });
  await refused({ maxConcurrentRuns: 1_000_000 });
  await data(
    setPolicy(top.id, { maxSpawnDepth: 3, allowExternalChannels: false, maxRunCostUsd: 2, blockedTools: ['email_*'] }),
  );
  await refused({ allowExternalChannels: true });
  await refused({ maxRunCostUsd: 3 });
  const set = await data(
    setPolicy(team.id, { maxSpawnDepth: 1, blockedTools: ['memory_search'], humanApprovalTools: ['run_note'] }),
  );
  expect(set).toMatchObject({ maxSpawnDepth: 1, maxRunCostUsd: null, allowedModelIds: null });
  expect(set.effective).toMatchObject({
    ...{ maxSpawnDepth: 1, maxRunCostUsd: 2, allowExternalChannels: false, humanApprovalTools: ['run_note'] },
    blockedTools: ['email_*', 'memory_search'],
    appliedLayers: ['tenant', `unit:${top.name}`, `unit:${team.name}`],
  });
  // What is above becomes tighter later: it holds below at once.
  await data(setPolicy(top.id, { maxSpawnDepth: 0 }));
  expect((await data(call('GET', `/org-units/${team.id}/policy`))).effective.maxSpawnDepth).toBe(0);
  expect((await data(setPolicy(team.id, {}))).effective.appliedLayers).toEqual(['tenant', `unit:${top.name}`]);
});

it('hold for runs and chats of their projects and of their identities: tools, models, depth, money', async () => {
  const { top, team, projectId } = await place();
  await data(setPolicy(top.id, { blockedTools: ['memory_search'], allowedModelIds: ['openai:small*'] }));
  await data(setPolicy(team.id, { maxSpawnDepth: 0, maxRunCostUsd: 0.5 }));
  const small = { modelId: 'openai:small-1' };
  await ended((await run(small)).id);
  expect(toolsOffered()).toContain('memory_search');
  await ended((await run({ ...small, projectId })).id);
  expect(toolsOffered()).not.toContain('memory_search');
  const large = await run({ modelId: 'openai:large', projectId });
  expect((await ended(large.id, 'Failed')).failureReason).toContain(`The unit ${top.name} does not allow the model`);
  world.model.reply(calling('run_spawn', { goal: 'Help.' }));
  const deep = await run({ ...small, projectId });
  await ended(deep.id);
  const events = await data(call('GET', `/agent/runs/${deep.id}/events`));
  expect(JSON.stringify(events)).toMatch(/depth 0; 0 is the most/);
  expect((await ended((await run({ ...small, projectId })).id)).poolCostBudgetUsd).toBe(0.5);
  const session = await data(
    call('POST', '/chat/sessions', { identityId, title: 'Talk', modelId: small.modelId, projectId }),
  );
  await data(call('POST', `/chat/sessions/${session.id}/chat`, { message: 'Hi' }));
  expect(toolsOffered()).not.toContain('memory_search');
  // An identity that belongs to the unit brings it to work without a project.
  await data(call('POST', `/org-units/${team.id}/identities`, { identityId }));
  const effective = await data(call('GET', `/identities/${identityId}/effective-tools`));
  expect(effective.blockedTools).toContain('memory_search');
  expect(effective.appliedLayers).toContain(`unit:${top.name}`);
  await ended((await run(small)).id);
  expect(toolsOffered()).not.toContain('memory_search');
  await data(call('DELETE', `/org-units/${team.id}/identities/${identityId}`));
  await ended((await run(small)).id);
  expect(toolsOffered()).toContain('memory_search');
});

it('let so many of their runs work at once, with those of the units below, and others pass by', async () => {
  const { top, team, projectId } = await place();
  const { id: above } = await data(call('POST', '/projects', { name: 'Above', orgUnitId: top.id }));
  await data(setPolicy(top.id, { maxConcurrentRuns: 1 }));
  world.model.otherwise = () => ({ text: ['Done.'], stallAfter: 0 });
  const first = await run({ projectId });
  await ended(first.id, 'Running');
  const [second, other] = [await run({ projectId: above }), await run()];
  await ended(other.id, 'Running');
  expect((await data(call('GET', `/agent/runs/${second.id}`))).status).toBe('Queued');
  expect(await data(call('GET', `/org-units/${top.id}`))).toMatchObject({ activeRunCount: 2 });
  expect(await data(call('GET', `/org-units/${team.id}`))).toMatchObject({ activeRunCount: 1 });
  world.model.otherwise = () => ({ text: ['Done.'] });
  world.model.release();
  for (const { id } of [first, second, other]) await ended(id);
});

it('that are not active take no new runs', async () => {
  const { top, team, projectId } = await place();
  await data(call('PATCH', `/org-units/${top.id}`, { isActive: false }));
  await failure(
    call('POST', '/agent/runs', { goal: 'x', projectId }),
    409,
    'CONFLICT',
    new RegExp(`org-units/${top.id}`),
  );
  await data(call('PATCH', `/org-units/${top.id}`, { isActive: true }));
  await ended((await run({ projectId })).id);
  expect(team.isActive).toBe(true);
});

it('count what their work costs, and block it when a budget of theirs or of a unit above is spent', async () => {
  const { top, team, projectId } = await place();
  const { id: sister } = await data(
    call('POST', '/projects', { name: 'Sister', orgUnitId: (await unit({ parentId: top.id })).id }),
  );
  await ended((await run({ projectId })).id);
  const usage = await data(call('GET', `/org-units/${top.id}/usage`));
  expect(usage).toMatchObject({ runCount: 1, calls: 1, rows: [{ key: String(team.id), label: team.name, calls: 1 }] });
  expect(usage.totalTokens).toBeGreaterThan(0);
  expect(usage.points.at(-1)).toMatchObject({ calls: 1 });
  // A budget counts what was spent in its period before it was set.
  const made = await setBudget(top.id, { limitTokens: 1_000_000_000, limitUsd: 1000, warnAtPercent: 50 });
  expect(made).toMatchObject({ usedTokens: usage.totalTokens, state: 'Ok', includeDescendants: true, enabled: true });
  expect(made.constrainedByOrgUnitId).toBe(top.id);
  const below = await data(call('GET', `/org-units/${team.id}/budget`));
  expect(below).toMatchObject({ budgetId: null, constrainedByOrgUnitId: top.id, usedTokens: usage.totalTokens });
  await ended((await run({ projectId: sister })).id);
  await expect
    .poll(async () => (await data(call('GET', `/org-units/${top.id}/budget`))).usedTokens)
    .toBeGreaterThan(usage.totalTokens);
  await setBudget(top.id, { limitTokens: 1, action: 'Block' });
  const refused = await run({ projectId });
  expect((await ended(refused.id, 'Failed')).failureReason).toContain(`Unit ${top.name}`);
  await setBudget(top.id, { limitTokens: 1, action: 'Block', includeDescendants: false });
  // What units below spend is not counted: the second run goes on, too.
  for (let at = 0; at < 2; at++) await ended((await run({ projectId })).id);
  await setBudget(top.id, {});
  expect(await data(call('GET', `/org-units/${top.id}`))).toMatchObject({ budget: null });
  await failure(
    call('PUT', `/org-units/${top.id}/budget`, { period: 'Day', limitUsd: 1, action: 'Downgrade' }),
    400,
    'VALIDATION_FAILED',
    /downgradeRouteId/,
  );
  const [node] = await data(call('GET', `/org-units/tree?rootId=${top.id}`));
  expect(node).toMatchObject({ projectCount: 0, children: [{ projectCount: 1 }, { projectCount: 1 }] });
});

it('add up: what all roots and no unit have used is what the tenant has', async () => {
  await ended((await run()).id);
  const all = await data(call('GET', '/ai-router/usage?groupBy=OrgUnit'));
  const roots = (await data(call('GET', '/org-units?pageSize=200'))).items.filter(
    ({ parentId }: { parentId: number | null }) => parentId === null,
  );
  const sums = await Promise.all(roots.map(({ id }: { id: number }) => data(call('GET', `/org-units/${id}/usage`))));
  const none = all.rows.find(({ key }: { key: string }) => key === '');
  expect(none.calls).toBeGreaterThan(0);
  expect(sums.reduce((sum, { calls }) => sum + calls, none.calls)).toBe(all.totalCalls);
  const [some] = sums.filter(({ calls }) => calls > 0);
  const filtered = await data(call('GET', `/ai-router/usage?orgUnitId=${some.orgUnitId}`));
  expect(filtered).toMatchObject({ totalCalls: some.calls, costUsd: some.costUsd });
  await failure(call('GET', '/ai-router/usage?orgUnitId=999'), 404, 'NOT_FOUND');
  const series = (query: string) => data(call('GET', `/ai-router/usage/timeseries?${query}`));
  const narrowed = await series(`orgUnitId=${some.orgUnitId}`);
  const calls = (points: { calls: number }[]) => points.reduce((sum, one) => sum + one.calls, 0);
  expect(calls(narrowed.points)).toBe(filtered.totalCalls);
  const byUnit = await series('groupBy=OrgUnit');
  expect(calls(byUnit.points)).toBe(all.totalCalls);
  const named = new Set(all.rows.map(({ label }: { label: string }) => label));
  expect(new Set(byUnit.points.map((one: { series: string }) => one.series))).toEqual(named);
  await failure(call('GET', '/ai-router/usage/timeseries?orgUnitId=999'), 404, 'NOT_FOUND');
});

it('keep their connectors to their own work', async () => {
  const { top, projectId } = await place();
  const draft = { name: 'Ledger', type: 'RestApi', authMethod: 'None', baseUrl: 'http://127.0.0.1:9' };
  await failure(call('POST', '/connectors', { ...draft, orgUnitId: 999 }), 404, 'NOT_FOUND');
  const connector = await data(call('POST', '/connectors', { ...draft, orgUnitId: top.id }));
  expect(connector).toMatchObject({ orgUnitId: top.id, orgUnitName: top.name });
  await data(
    call('POST', `/connectors/${connector.id}/endpoints`, { name: 'entries', method: 'Get', path: '/entries' }),
  );
  await ended((await run({ projectId })).id);
  expect(toolsOffered()).toContain('ledger__entries');
  await ended((await run()).id);
  expect(toolsOffered()).not.toContain('ledger__entries');
  expect(await data(call('GET', `/org-units/${top.id}`))).toMatchObject({ connectorCount: 1 });
  await failure(call('DELETE', `/org-units/${top.id}`), 409, 'IN_USE', /move/);
});

it('are what budgets of the AI router may be for', async () => {
  const { top } = await place();
  const draft = { name: 'By hand', scope: 'OrgUnit', period: 'Day', limitUsd: 3 };
  await failure(call('POST', '/ai-router/budgets', { ...draft, scopeId: 999 }), 404, 'NOT_FOUND');
  const made = await data(call('POST', '/ai-router/budgets', { ...draft, scopeId: top.id }));
  expect(made.scopeName).toBe(top.name);
  expect(await data(call('GET', `/org-units/${top.id}/budget`))).toMatchObject({
    budgetId: made.id,
    limitUsd: 3,
    period: 'Day',
  });
  await data(
    call('DELETE', `/org-units/${(await data(call('GET', `/org-units/${top.id}/children`)))[0].id}`, {
      moveToOrgUnitId: top.id,
    }),
  );
});
