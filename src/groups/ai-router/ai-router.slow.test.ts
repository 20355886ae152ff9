// biome-ignore-all lint/style/noExcessiveLinesPerFile: one suite over one world.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminKey, createAuthWorld } from '../../../test/support/auth-world.ts';
import { type FakeServer, startFakeServer } from '../../../test/support/openai-server.ts';
import type { Caller } from '../../contract/caller.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import { isStreamReply } from '../../contract/replies.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { createVault } from '../../kernel/vault.ts';
import { createRoutedModels } from '../../models/routing/router.ts';
import { createOrgUnits } from '../../org-units/units.ts';
import { aiRouterSpecs } from '../../ports/ai-router.ts';
import type { Publication } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { AIBudgetDto, AICallDto, AIModelDto, AIProviderDto, AIProviderHealthDto, AIRouteDto } from './dto.ts';
import { createAiRouterServices, publishRouterEvents } from './services.ts';

const request = { id: 'test', signal: new AbortController().signal } as RequestInfo;
const page = { page: 1, pageSize: 50 };
/** Not one of the environment's. */
const isKept = ({ source }: { source: string }) => source === 'Tenant';
const apiKey = 'sk-very-secret-0123456789';

async function createWorld() {
  const world = await createAuthWorld(aiRouterSpecs);
  const { db, ids, clock, auth } = world;
  await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const server = await startFakeServer();
  const vault = createVault({ secret: 'a secret of more than thirty-two characters' });
  const published: Publication[] = [];
  const publisher = { publish: async (event: Publication) => void published.push(structuredClone(event)) };
  const settings = { model: 'scripted:echo' };
  const routed = createRoutedModels({
    db,
    ids,
    clock,
    vault,
    reachOf: () => 'private',
    settings,
    logger: silentLogger,
    ...publishRouterEvents({ publisher, logger: silentLogger }),
  });
  const services = createAiRouterServices({
    ...{ db, ids, clock, vault, ...routed },
    identities: perTenant(auth.identities),
    units: createOrgUnits({ db, clock }),
  });
  return { ...world, ...routed, caller, server, published, services };
}

let world: Awaited<ReturnType<typeof createWorld>>;
let server: FakeServer;
beforeEach(async () => {
  world = await createWorld();
  server = world.server;
});
afterEach(async () => {
  await world.flush();
  await server.close();
  await world.close();
});

const base = () => ({ caller: world.caller, request, query: undefined, body: undefined, params: {} });
const handlers = () => ({
  providers: world.services.aiProviders.handlers,
  models: world.services.aiModels.handlers,
  routes: world.services.aiRoutes.handlers,
  budgets: world.services.aiBudgets.handlers,
  usage: world.services.aiUsage.handlers,
  settings: world.services.aiSettings.handlers,
  playground: world.services.aiPlayground.handlers,
});

const addProvider = (more: object = {}) =>
  handlers().providers.create({
    ...base(),
    body: { name: 'Local AI', kind: 'OpenAiCompatible', baseUrl: server.baseUrl, apiKey, syncModels: true, ...more },
  });
/** The provider's one model, and a route to it. */
async function addRoute(more: object = {}) {
  const provider = await addProvider();
  const { items } = await handlers().models.list({ ...base(), query: page });
  const model = items[0]!;
  const targets = [{ aiModelId: model.id }];
  const route = await handlers().routes.create({
    ...base(),
    body: { name: 'Main', policy: 'Priority', targets, ...more },
  });
  return { provider, model, route };
}

describe('providers', () => {
  it('come with their models, and never show a key', async () => {
    server.models = ['qwen3:8b', 'nomic-embed-text'];
    const provider = await addProvider({ headersJson: '{"x-team":"secret-header"}' });
    expect(AIProviderDto.parse(provider)).toMatchObject({
      keyCount: 1,
      modelCount: 2,
      hasCredentials: true,
      headerNames: ['x-team'],
    });
    const { items } = await handlers().models.list({ ...base(), query: page });
    expect(items.filter(isKept).map((one) => [AIModelDto.parse(one).modelId, one.kind])).toEqual([
      ['local-ai:nomic-embed-text', 'Embedding'],
      ['local-ai:qwen3:8b', 'Chat'],
    ]);
    const keys = await handlers().providers.listKeys({ ...base(), params: { providerId: provider.id } });
    expect(keys).toMatchObject([{ last4: '6789', label: 'default' }]);
    const stored = await Promise.all(aiRouterSpecs.map(({ name }) => world.db.collection(name).find().toArray()));
    expect(JSON.stringify([provider, keys, stored])).not.toMatch(/very-secret|secret-header/);
    server.reply({ text: ['ok'] });
    await handlers().playground.chat({
      ...base(),
      body: { modelId: 'local-ai:qwen3:8b', messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'x-team': 'secret-header' });
  });

  it('are tested with a word, or told what is wrong', async () => {
    const provider = await addProvider();
    server.reply({ text: ['ready'] }, { status: 401 });
    const test = () => handlers().providers.test({ ...base(), params: { id: provider.id }, body: {} });
    expect(await test()).toMatchObject({ ok: true, reply: 'ready', modelId: 'local-ai:fake-model', httpStatus: 200 });
    const refused = await test();
    expect(refused).toMatchObject({ ok: false, httpStatus: 401, errorCode: 'PROVIDER_ERROR' });
    expect(JSON.stringify(refused)).not.toContain('very-secret');
  });

  it('keep the catalogue in step with their list', async () => {
    const provider = await addProvider();
    const sync = (body: object) => handlers().providers.syncModels({ ...base(), params: { id: provider.id }, body });
    server.models = ['new-model'];
    expect(await sync({ dryRun: true, disableMissing: true })).toMatchObject({
      added: ['local-ai:new-model'],
      disabled: ['local-ai:fake-model'],
      dryRun: true,
    });
    expect(await sync({ disableMissing: true })).toMatchObject({
      added: ['local-ai:new-model'],
      disabled: ['local-ai:fake-model'],
    });
    server.models = ['new-model', 'fake-model'];
    expect(await sync({})).toMatchObject({ added: [], updated: ['local-ai:fake-model'], unchangedCount: 1 });
  });

  it('are not deleted under a route unless forced, and then wholly', async () => {
    const { provider, route } = await addRoute();
    const remove = (body?: { force: boolean }) =>
      handlers().providers.remove({ ...base(), params: { id: provider.id }, body });
    await expect(async () => remove()).rejects.toMatchObject({ code: 'IN_USE' });
    await remove({ force: true });
    expect((await handlers().routes.get({ ...base(), params: { id: route.id } })).targets).toEqual([]);
    expect((await handlers().models.list({ ...base(), query: page })).items.filter(isKept)).toEqual([]);
    await expect(async () =>
      handlers().providers.get({ ...base(), params: { id: provider.id } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    [{ baseUrl: 'http://169.254.169.254/latest' }],
    [{ baseUrl: 'http://user:pass@example.org/v1' }],
    [{ baseUrl: null }],
    [{ headersJson: '[1]' }],
    [{ headersJson: '{"host":"x"}' }],
    [{ headersJson: '{"x-a":"b\\r\\nc: d"}' }],
  ])('with %j are refused', async (more) => {
    await expect(async () => addProvider(more)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('tell their health, and have their circuit closed by hand', async () => {
    const { provider } = await addRoute({ isDefault: true, maxAttempts: 10 });
    server.otherwise = () => ({ status: 500 });
    const body = { messages: [{ role: 'user' as const, content: 'Hi' }] };
    const asked = handlers().playground.chat({ ...base(), body });
    let done = false;
    void Promise.resolve(asked).finally(() => {
      done = true;
    });
    // Small steps: what waits for the network must not fall out of the window of health meanwhile.
    while (!done) await world.clock.advance(20);
    const [health] = await handlers().providers.health({ ...base(), query: { windowMinutes: 15 } });
    expect(health).toMatchObject({ circuitState: 'Open', healthState: 'Unhealthy', failures: 5, errorRate: 1 });
    const closed = await handlers().providers.resetCircuit({ ...base(), params: { id: provider.id }, body: {} });
    expect(closed.circuitState).toBe('Closed');
    const told = world.published
      .filter(({ type }) => type === 'router.health')
      .map(({ data }) => AIProviderHealthDto.parse(data));
    expect(told.map(({ circuitState }) => circuitState)).toEqual(['Open', 'Closed']);
  });
});

describe('routes', () => {
  it('are explained, kept free of circles, and not deleted while they are needed', async () => {
    const { route } = await addRoute({ isDefault: true });
    expect(AIRouteDto.parse(route).targets[0]).toMatchObject({
      modelId: 'local-ai:fake-model',
      providerName: 'Local AI',
      priority: 0,
    });
    const explained = await handlers().routes.explain({ ...base(), params: { id: route.id }, body: {} });
    expect(explained).toMatchObject({ routeName: 'Main', chosen: { modelId: 'local-ai:fake-model', eligible: true } });
    expect(server.requests).toHaveLength(0);
    const resolved = await handlers().routes.resolve({ ...base(), query: {} });
    expect(resolved.matchedBy).toBe('default');
    const second = await handlers().routes.create({
      ...base(),
      body: { name: 'Second', policy: 'LowestCost', targets: [], fallbackRouteId: route.id, isDefault: true },
    });
    expect((await handlers().routes.get({ ...base(), params: { id: route.id } })).isDefault).toBe(false);
    await expect(async () =>
      handlers().routes.patch({ ...base(), params: { id: route.id }, body: { fallbackRouteId: second.id } }),
    ).rejects.toMatchObject({ code: 'CYCLE_DETECTED' });
    await expect(async () => handlers().routes.remove({ ...base(), params: { id: route.id } })).rejects.toMatchObject({
      code: 'IN_USE',
    });
    await expect(async () =>
      handlers().routes.setTargets({ ...base(), params: { id: route.id }, body: { targets: [{ aiModelId: 999 }] } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(async () =>
      handlers().routes.create({ ...base(), body: { name: 'MAIN', policy: 'Priority', targets: [] } }),
    ).rejects.toMatchObject({ code: 'DUPLICATE' });
  });
});

describe('models', () => {
  it('have names and aliases of their own', async () => {
    const { provider, model } = await addRoute();
    const create = (body: object) =>
      handlers().models.create({
        ...base(),
        body: { providerId: provider.id, modelId: 'mine', providerModelName: 'm', ...body },
      });
    expect(await create({ aliases: ['other'], inputPricePerMTok: 3 })).toMatchObject({
      inputPricePerMTok: 3,
      displayName: 'mine',
      priceKnown: true,
    });
    const untold = await create({ modelId: 'untold' });
    expect(untold).toMatchObject({ inputPricePerMTok: 0, priceKnown: false });
    expect(await create({ modelId: 'free', inputPricePerMTok: 0, outputPricePerMTok: 0 })).toMatchObject({
      outputPricePerMTok: 0,
      priceKnown: true,
    });
    const told = { ...base(), params: { id: untold.id }, body: { outputPricePerMTok: 0 } };
    expect(await handlers().models.patch(told)).toMatchObject({ outputPricePerMTok: 0, priceKnown: true });
    for (const body of [{}, { modelId: 'other' }, { modelId: 'x', aliases: [model.modelId] }]) {
      await expect(async () => create(body)).rejects.toMatchObject({ code: 'DUPLICATE' });
    }
    await expect(async () => create({ modelId: 'auto' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('usage', () => {
  const chat = (content: string) =>
    handlers().playground.chat({ ...base(), body: { messages: [{ role: 'user', content }] } });

  it('is exact, grouped, in time, by call and as CSV', async () => {
    const { model } = await addRoute({ isDefault: true });
    await handlers().models.patch({
      ...base(),
      params: { id: model.id },
      body: { inputPricePerMTok: 10, outputPricePerMTok: 20 },
    });
    server.reply(
      { text: ['a'], usage: { prompt: 1_000, completion: 100 } },
      { text: ['b'], usage: { prompt: 500, completion: 50 } },
      { status: 400 },
    );
    const first = await chat('=cmd');
    expect(first).toMatchObject({ content: 'a', promptTokens: 1_000, costUsd: 0.012, routeId: expect.any(Number) });
    await chat('two');
    expect(await chat('three')).toMatchObject({ errorCode: 'PROVIDER_ERROR', content: '' });

    const summary = await handlers().usage.summary({ ...base(), query: { groupBy: 'Model' } });
    // Days whose sums are kept as such: those of a part of a day are added up from more, or from the calls.
    expect(Date.parse(summary.fromUtc) % 86_400_000).toBe(0);
    expect(summary).toMatchObject({ totalCalls: 3, failedCalls: 1, promptTokens: 1_500, completionTokens: 150 });
    expect(summary.costUsd).toBeCloseTo(0.018, 10);
    expect(summary.rows).toMatchObject([{ key: 'local-ai:fake-model', calls: 3, failedCalls: 1 }]);
    const series = await handlers().usage.timeseries({ ...base(), query: { groupBy: 'None', bucket: 'Day' } });
    expect(series.points.reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
    expect(series.points.length).toBeGreaterThan(28);

    const calls = await handlers().usage.calls({ ...base(), query: { ...page, status: 'Failed' } });
    expect(calls.items.map((one) => AICallDto.parse(one).errorCode)).toEqual(['PROVIDER_ERROR']);
    const detail = await handlers().usage.call({ ...base(), params: { id: first.callId ?? 0 } });
    expect(detail).toMatchObject({
      attempts: [{ status: 'Succeeded' }],
      decision: { routeName: 'Main' },
      requestJson: null,
      identityName: expect.any(String),
    });
    const file = await handlers().usage.export({ ...base(), query: {} });
    let csv = '';
    for await (const chunk of file.body as AsyncIterable<Uint8Array>) csv += new TextDecoder().decode(chunk);
    expect(csv.trim().split('\r\n')).toHaveLength(4);
    expect(csv.split('\r\n')[1]).toContain(',0.012,');
  });

  it('is told as it happens, with budgets that fill up', async () => {
    await addRoute({ isDefault: true });
    const budget = await handlers().budgets.create({
      ...base(),
      body: { name: 'Day', scope: 'Tenant', period: 'Day', limitTokens: 100, action: 'Block' },
    });
    server.reply({ text: ['a'], usage: { prompt: 100, completion: 1 } });
    await chat('one');
    await world.flush();
    expect(world.published.map(({ type }) => type)).toEqual(['router.call', 'budget.exhausted']);
    expect(AIBudgetDto.parse(world.published[1]?.data)).toMatchObject({ state: 'Exhausted', usedTokens: 101 });
    expect(await chat('two')).toMatchObject({ errorCode: 'BUDGET_EXCEEDED' });
    expect(
      await handlers().budgets.patch({ ...base(), params: { id: budget.id }, body: { resetUsage: true } }),
    ).toMatchObject({ usedTokens: 0, state: 'Ok' });
    expect(await chat('three')).toMatchObject({ errorCode: null });
    await expect(async () =>
      handlers().budgets.create({ ...base(), body: { name: 'x', scope: 'Identity', period: 'Day', limitUsd: 1 } }),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('the playground', () => {
  it('streams the events of a chat', async () => {
    await addRoute({ isDefault: true });
    server.reply({ reasoning: ['hm'], text: ['Hel', 'lo'] });
    const reply = await handlers().playground.stream({
      ...base(),
      body: { messages: [{ role: 'user', content: 'Hi' }] },
    });
    if (!isStreamReply(reply) || reply.kind !== 'frames') throw new Error('no frames');
    const seen: [string | undefined, string | null][] = [];
    for await (const { event, data } of reply.frames)
      seen.push([event, JSON.parse(data).delta ?? JSON.parse(data).content ?? null]);
    expect(seen).toEqual([
      ['Started', null],
      ['ReasoningDelta', 'hm'],
      ['ContentDelta', 'Hel'],
      ['ContentDelta', 'lo'],
      ['Completed', 'Hello'],
    ]);
  });

  it('compares models, tries tools and embeds', async () => {
    await addRoute();
    server.reply({ toolCalls: [{ id: 'c', name: 'look', arguments: ['{}'] }] });
    const compared = await handlers().playground.compare({
      ...base(),
      body: { modelIds: ['local-ai:fake-model', 'scripted:echo'], messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(compared[0]).toMatchObject({
      toolCalls: [{ name: 'look', argumentsJson: '{}' }],
      finishReason: 'tool-calls',
    });
    expect(compared[1]?.content).toMatch(/^You said: Hi/);
    server.models = ['nomic-embed'];
    const provider = await addProvider({ name: 'Embedder' });
    const embedded = await handlers().playground.embeddings({
      ...base(),
      body: { modelId: 'embedder:nomic-embed', inputs: ['red apple', 'red apple', 'sea'] },
    });
    expect(embedded).toMatchObject({ dimensions: 64, providerName: provider.name });
    expect(embedded.similarity.map(({ cosine }) => Math.round(cosine * 100))).toEqual([100, 0, 0]);
  });
});

it('settings replace and reach the calls', async () => {
  const { model, route } = await addRoute();
  const old = await handlers().settings.get(base());
  const { updatedAtUtc, ...settings } = old;
  expect(updatedAtUtc).toBeNull();
  await handlers().settings.replace({
    ...base(),
    body: { ...settings, defaultChatRouteId: route.id, allowDirectModel: false },
  });
  const body = { messages: [{ role: 'user' as const, content: 'Hi' }] };
  expect(await handlers().playground.chat({ ...base(), body })).toMatchObject({ modelId: model.modelId });
  expect(await handlers().playground.chat({ ...base(), body: { ...body, modelId: model.modelId } })).toMatchObject({
    errorCode: 'FORBIDDEN',
  });
  await expect(async () =>
    handlers().settings.replace({ ...base(), body: { ...settings, summaryRouteId: 999 } }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('another tenant sees and touches nothing', async () => {
  const { provider, model, route } = await addRoute();
  const caller: Caller = { ...world.caller, tenantId: world.caller.tenantId + 1 };
  const other = { ...base(), caller };
  expect((await handlers().providers.list({ ...other, query: page })).items.filter(isKept)).toEqual([]);
  for (const work of [
    () => handlers().providers.get({ ...other, params: { id: provider.id } }),
    () => handlers().models.remove({ ...other, params: { id: model.id } }),
    () => handlers().routes.patch({ ...other, params: { id: route.id }, body: { enabled: false } }),
    () =>
      handlers().providers.createKey({
        ...other,
        params: { providerId: provider.id },
        body: { label: 'x', apiKey: 'y' },
      }),
  ])
    await expect(async () => work()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const answer = await handlers().playground.chat({
    ...other,
    body: { modelId: model.modelId, messages: [{ role: 'user', content: 'Hi' }] },
  });
  expect(answer.errorCode).toBe('NOT_CONFIGURED');
});
