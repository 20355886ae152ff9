// biome-ignore-all lint/style/noExcessiveLinesPerFile: one suite over one world.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../runtime/model.ts';
import { gather, modelRequest } from '../../../test/support/model-calls.ts';
import { createRouterWorld, type RouterWorld, tenantId } from '../../../test/support/router-world.ts';
import type { Fault } from '../../kernel/fault.ts';
import {
  budgetSpec,
  callSpec,
  defaultRouterSettings,
  providerKeySpec,
  providerSpec,
  routerSettings,
} from '../../ports/ai-router.ts';

let world: RouterWorld;
beforeEach(async () => {
  world = await createRouterWorld();
});
afterEach(() => world.close());

const call = (more: Partial<ModelRequest> = {}) =>
  gather(world.model.stream(modelRequest({ modelId: 'auto', ...more })), world.clock);
const answeredBy = async (more: Partial<ModelRequest> = {}) => (await call(more)).events.at(-1);

/** Two providers with a model each. */
async function twoModels() {
  const [first, second] = [
    await world.addProvider('One', world.one.baseUrl),
    await world.addProvider('Two', world.two.baseUrl),
  ];
  const [a, b] = [await world.addModel(first, 'one:a'), await world.addModel(second, 'two:b', { aliases: ['cheap'] })];
  return { first, second, a, b };
}

describe('which model a call gets', () => {
  it('the one that it names, by id or alias, with the price of the catalogue', async () => {
    await twoModels();
    world.two.reply({ text: ['ok'], usage: { prompt: 1_000, completion: 500 } });
    expect(await answeredBy({ modelId: 'cheap' })).toMatchObject({ modelId: 'two:b', usage: { costUsd: 0.002 } });
    expect(world.two.requests[0]?.body.model).toBe('b');
    expect(world.model.limits('two:b')).toEqual({ contextTokens: 100_000, maxOutputTokens: 4_000 });
    expect(world.model.estimateCost('two:b', 1_000, 500)).toBeCloseTo(0.002, 10);
  });

  it('that of the route for its role, then identity, then purpose, then the default one', async () => {
    const { a, b } = await twoModels();
    await world.addRoute('Default', [a], { isDefault: true });
    await world.addRoute('Writers', [b], { matchRoles: ['Writer'] });
    await world.addRoute('Nine', [b], { matchIdentityIds: [9] });
    expect(await answeredBy()).toMatchObject({ modelId: 'one:a' });
    expect(await answeredBy({ role: 'writer' })).toMatchObject({ modelId: 'two:b' });
    expect(await answeredBy({ identityId: 9 })).toMatchObject({ modelId: 'two:b' });
    expect(await answeredBy({ modelId: 'route:writers' })).toMatchObject({ modelId: 'two:b' });
    expect((await world.router.resolve(tenantId, { role: 'Writer' })).matchedBy).toBe('role');
  });

  it('the very one that is named, even if it is the default one and there are routes', async () => {
    const { a } = await twoModels();
    await world.addRoute('Default', [a], { isDefault: true });
    const named = { modelId: world.model.defaultModelId() };
    expect(await answeredBy(named)).toMatchObject({ modelId: 'scripted:echo' });
    expect((await world.router.resolve(tenantId, named)).matchedBy).toBe('environment');
    expect(await answeredBy()).toMatchObject({ modelId: 'one:a' });
  });

  it('that of the environment where nothing is set up', async () => {
    expect(await answeredBy()).toMatchObject({ modelId: 'scripted:echo' });
  });

  it('the next of the route after a failure, then that of the fallback route', async () => {
    const { first, a, b } = await twoModels();
    const spare = await world.addModel(first, 'one:spare');
    const last = await world.addRoute('Last', [spare]);
    await world.addRoute('Main', [a, b], { isDefault: true, fallbackRouteId: last._id, maxAttempts: 1 });
    world.one.reply({ status: 500 }, { text: ['saved'] });
    world.two.reply({ status: 500 });
    const answer = await call();
    expect(answer.text).toBe('saved');
    expect(answer.events.at(-1)).toMatchObject({ modelId: 'one:spare' });
    await world.flush();
    expect(world.recorded[0]).toMatchObject({ routeName: 'Main', attemptCount: 3, status: 'Succeeded' });
  });

  it('takes turns for RoundRobin, and stays for a while where the route is sticky', async () => {
    const { a, b } = await twoModels();
    await world.addRoute('Turns', [a, b], { policy: 'RoundRobin' });
    await world.addRoute('Sticky', [a, b], { policy: 'RoundRobin', stickySeconds: 60 });
    const models = async (modelId: string) => {
      const events = [
        await answeredBy({ modelId, cacheKey: 'run:1' }),
        await answeredBy({ modelId, cacheKey: 'run:1' }),
      ];
      return events.map((event) => (event?.type === 'finish' ? event.modelId : null));
    };
    expect(await models('route:Turns')).toEqual(['one:a', 'two:b']);
    expect(await models('route:Sticky')).toEqual(['one:a', 'one:a']);
    await world.clock.advance(61_000);
    expect(await models('route:Sticky')).toEqual(['one:a', 'one:a']);
  });

  it('is explained, with the reason for each that is out', async () => {
    const { first, a, b } = await twoModels();
    const off = await world.addModel(first, 'one:off', { enabled: false });
    const small = await world.addModel(first, 'one:small', { contextWindow: 100 });
    const dear = await world.addModel(first, 'one:dear', { outputPricePerMTok: 10_000 });
    const blind = await world.addModel(first, 'one:blind', { capabilities: [] });
    const route = await world.addRoute('All', [off, small, dear, blind, [a, { enabled: false }], b], {
      maxCostPerCallUsd: 1,
      requiredCapabilities: ['Tools'],
    });
    const decision = await world.router.resolve(tenantId, {
      routeId: route._id,
      promptTokens: 500,
      maxOutputTokens: 1_000,
    });
    expect(decision.chosen).toMatchObject({ modelId: 'two:b', rank: 1, eligible: true });
    expect(
      Object.fromEntries(decision.candidates.map(({ modelId, rejectedReason }) => [modelId, rejectedReason])),
    ).toEqual({
      'two:b': null,
      'one:off': 'the model is switched off',
      'one:small': 'its context window holds 100 tokens',
      'one:dear': 'it may cost more than the route allows',
      'one:blind': 'it lacks Tools',
      'one:a': 'the target is switched off',
    });
    expect(world.one.requests).toHaveLength(0);
  });

  it('none at all is an error that says why', async () => {
    const { a } = await twoModels();
    await world.addRoute('Empty', [[a, { enabled: false }]]);
    expect((await call({ modelId: 'route:Empty' })).error).toMatchObject({
      code: 'NO_ROUTE_AVAILABLE',
      message: expect.stringContaining('switched off'),
    });
    expect((await call({ modelId: 'route:Nobody' })).error).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a provider that is there says that the provider has no such model, and how it gets one', async () => {
    const { _id } = await world.addProvider('My One', world.one.baseUrl);
    const { error } = await call({ modelId: 'my-one:new' });
    expect(error).toMatchObject({
      code: 'NOT_CONFIGURED',
      message: 'The provider My One has no model "my-one:new" here.',
    });
    expect((error as Fault).hint).toContain(`POST /api/ai-router/providers/${_id}/sync-models`);
    expect((await call({ modelId: 'none:new' })).error).toMatchObject({
      message: 'There is no model provider named "none".',
    });
  });

  it('is looked up anew after a pause in which another node may have switched its provider off', async () => {
    const { first } = await twoModels();
    expect(await answeredBy({ modelId: 'one:a' })).toMatchObject({ modelId: 'one:a' });
    await world.db.collection(providerSpec).updateOne({ _id: first._id }, { $set: { enabled: false } });
    await world.clock.advance(60_000);
    const message = expect.stringContaining('its provider is switched off');
    expect((await call({ modelId: 'one:a' })).error).toMatchObject({ message });
  });

  it('may not be named directly where the settings forbid it', async () => {
    await twoModels();
    const settings = { ...defaultRouterSettings, allowDirectModel: false };
    await world.db
      .collection(routerSettings.spec)
      .insertOne({ _id: tenantId, tenantId, updatedAt: new Date(), ...settings });
    world.router.changed(tenantId);
    expect((await call({ modelId: 'one:a' })).error).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('keys of a provider', () => {
  it('take over from one another, rest when refused, and are never kept in clear', async () => {
    const provider = await world.addProvider('One', world.one.baseUrl);
    await world.addModel(provider, 'one:a');
    const bad = await world.addKey(provider, 'sk-first-secret-key-1111');
    const good = await world.addKey(provider, 'sk-other-secret-key-2222');
    world.one.otherwise = ({ headers }) =>
      headers.authorization?.includes('first')
        ? { status: 401 }
        : { text: ['ok'], usage: { prompt: 1_000_000, completion: 0 } };
    expect((await call({ modelId: 'one:a' })).text).toBe('ok');
    await world.flush();
    const keys = await world.db.collection(providerKeySpec).find({ tenantId }).toArray();
    const [first, second] = [bad, good].map(({ _id }) => keys.find((key) => key._id === _id));
    expect(first).toMatchObject({ failureCount: 1, spentUsd: 0, cooldownUntil: expect.any(Date) });
    expect(second).toMatchObject({ failureCount: 0, spentUsd: 1, cooldownUntil: null });
    expect(JSON.stringify([keys, world.recorded])).not.toContain('secret-key');
    await world.clock.advance(10_000);
    await call({ modelId: 'one:a' });
    expect(world.one.requests.filter(({ headers }) => headers.authorization?.includes('first'))).toHaveLength(1);
  });

  it('are left out when switched off, expired or out of money', async () => {
    const provider = await world.addProvider('Paid', null, { kind: 'Anthropic', baseUrl: world.one.origin });
    await world.addModel(provider, 'paid:a');
    await world.addKey(provider, 'a', { enabled: false });
    await world.addKey(provider, 'b', { expiresAt: new Date(world.clock.now() - 1) });
    await world.addKey(provider, 'c', { monthlyLimitUsd: 1, spentUsd: 1, spentMonth: '2026-01' });
    expect((await world.router.resolve(tenantId, { modelId: 'paid:a' })).candidates[0]?.rejectedReason).toBe(
      'its provider has no usable key',
    );
  });
});

describe('what is said of a model', () => {
  it('is that its own calls fail, whether its name or key is refused or its provider is gone', async () => {
    const provider = await world.addProvider('One', world.one.baseUrl);
    const [good, gone] = [await world.addModel(provider, 'one:a'), await world.addModel(provider, 'one:gone')];
    world.one.otherwise = ({ body }) => (body.model === 'gone' ? { status: 404 } : { text: ['ok'] });
    for (let at = 0; at < 3; at++) {
      await call({ modelId: good.modelId });
      await call({ modelId: gone.modelId });
    }
    const health = (model: string | null) => world.router.health(provider, model).healthState;
    expect([health('a'), health('gone'), health(null)]).toEqual(['Healthy', 'Unhealthy', 'Healthy']);
    world.one.otherwise = () => ({ status: 401 });
    for (let at = 0; at < 4; at++) await call({ modelId: good.modelId });
    expect([health('a'), health(null)]).toEqual(['Unhealthy', 'Unhealthy']);
    expect(world.router.health(provider, 'a').circuitState).toBe('Closed');
  });

  it('is no price where nobody told one, rather than that it is free', async () => {
    const provider = await world.addProvider('One', world.one.baseUrl);
    const unpriced = { inputPricePerMTok: 0, outputPricePerMTok: 0 };
    const models = [await world.addModel(provider, 'one:a', unpriced), await world.addModel(provider, 'one:b')];
    const costs = models.map(async ({ modelId }) => (await world.router.resolve(tenantId, { modelId })).chosen);
    expect((await Promise.all(costs)).map((one) => one?.estimatedCostUsd)).toEqual([null, 0.003]);
    // Who sets it to 0 means it.
    const free = await world.addModel(provider, 'one:free', { ...unpriced, priceKnown: true });
    const { chosen } = await world.router.resolve(tenantId, { modelId: free.modelId });
    expect(chosen?.estimatedCostUsd).toBe(0);
  });
});

describe('budgets', () => {
  const usage = { prompt: 600, completion: 200 };

  it('block when they are spent, after a warning, and begin anew with their period', async () => {
    await twoModels();
    const budget = await world.addBudget('Tokens', { limitTokens: 1_600, period: 'Day', warnAtPercent: 50 });
    world.one.otherwise = () => ({ text: ['ok'], usage });
    for (let i = 0; i < 2; i++) {
      expect((await call({ modelId: 'one:a' })).text).toBe('ok');
      await world.flush();
    }
    expect(world.budgetEvents.map(({ use }) => [use.state, use.usedTokens])).toEqual([
      ['Warning', 800],
      ['Exhausted', 1_600],
    ]);
    expect((await call({ modelId: 'one:a' })).error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
    await world.flush();
    expect(world.recorded.map(({ status }) => status)).toEqual(['Succeeded', 'Succeeded', 'Blocked']);
    expect(world.one.requests).toHaveLength(2);

    await world.clock.advance(86_400_000);
    expect((await call({ modelId: 'one:a' })).text).toBe('ok');
    await world.flush();
    expect(await world.db.collection(budgetSpec).findOne({ _id: budget._id })).toMatchObject({ usedTokens: 800 });
  });

  it('send calls to a cheaper route, or only tell', async () => {
    const { a, b } = await twoModels();
    const cheap = await world.addRoute('Cheap', [b]);
    await world.addRoute('Main', [a], { isDefault: true });
    await world.addBudget('Soft', { limitUsd: 0.000_001, action: 'Downgrade', downgradeRouteId: cheap._id });
    await world.addBudget('Told', { limitUsd: 0.000_001, action: 'Notify' });
    expect(await answeredBy()).toMatchObject({ modelId: 'one:a' });
    await world.flush();
    expect(await answeredBy()).toMatchObject({ modelId: 'two:b' });
  });

  it('of a provider or model leave the others usable', async () => {
    const { first, a, b } = await twoModels();
    await world.addRoute('Main', [a, b], { isDefault: true });
    await world.addBudget('First', {
      scope: 'Provider',
      scopeId: first._id,
      limitTokens: 1,
      usedTokens: 1,
      periodStart: new Date(world.clock.now()),
    });
    expect(await answeredBy()).toMatchObject({ modelId: 'two:b' });
    expect((await call({ modelId: 'one:a' })).error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
  });

  it('count many calls at once to the token', async () => {
    await twoModels();
    const budget = await world.addBudget('All', { limitTokens: 1_000_000 });
    world.one.otherwise = () => ({ text: ['ok'], usage });
    await Promise.all(Array.from({ length: 40 }, () => call({ modelId: 'one:a' })));
    await world.flush();
    expect(await world.db.collection(budgetSpec).findOne({ _id: budget._id })).toMatchObject({ usedTokens: 32_000 });
    const calls = await world.db.collection(callSpec).find({ tenantId }).toArray();
    expect(calls).toHaveLength(40);
    expect(calls.reduce((sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens, 0)).toBe(
      32_000,
    );
  });
});

describe('the ledger', () => {
  it('keeps who, what and how much, and gives the row of a request', async () => {
    const { first, a } = await twoModels();
    await world.addRoute('Main', [a], { isDefault: true });
    world.one.reply({ status: 429 }, { text: ['ok'], usage: { prompt: 100, completion: 10, cacheRead: 40 } });
    const request = modelRequest({
      modelId: 'auto',
      purpose: 'Run',
      runId: 4,
      identityId: 5,
      userId: 6,
      projectId: 7,
      chatSessionId: 8,
      role: 'writer',
    });
    await gather(world.model.stream(request), world.clock);
    expect(await world.router.callOf(request)).toMatchObject({
      purpose: 'Run',
      status: 'Succeeded',
      routeName: 'Main',
      providerId: first._id,
      providerName: 'One',
      modelId: 'one:a',
      attemptCount: 2,
      promptTokens: 100,
      completionTokens: 10,
      cacheReadTokens: 40,
      costUsd: 0.00012,
      finishReason: 'stop',
      runId: 4,
      identityId: 5,
      userId: 6,
      projectId: 7,
      chatSessionId: 8,
      attempts: [{ status: 'RateLimited', httpStatus: 429 }, { status: 'Succeeded' }],
      sealedRequest: null,
    });
  });

  it('keeps prompts only where asked to, and sealed', async () => {
    await twoModels();
    const settings = { ...defaultRouterSettings, recordPrompts: true };
    await world.db
      .collection(routerSettings.spec)
      .insertOne({ _id: tenantId, tenantId, updatedAt: new Date(), ...settings });
    world.router.changed(tenantId);
    const request = modelRequest({ modelId: 'one:a', messages: [{ role: 'user', content: 'a private thing' }] });
    await gather(world.model.stream(request));
    const row = await world.router.callOf(request);
    expect(JSON.stringify(row)).not.toContain('private');
    expect(world.vault.open(tenantId, row.sealedRequest ?? '')).toContain('a private thing');
    expect(row.promptsUntil).toEqual(new Date(world.clock.now() + 7 * 86_400_000));
    expect(await world.forgetPrompts()).toBe(0);
    await world.clock.advance(7 * 86_400_000 + 1);
    expect(await world.forgetPrompts()).toBe(1);
    expect(await world.db.collection(callSpec).findOne({ _id: row._id })).toMatchObject({
      sealedRequest: null,
      costUsd: row.costUsd,
    });
  });
});

it('embeds by a model of the catalogue', async () => {
  const { first } = await twoModels();
  await world.addModel(first, 'one:embed', { kind: 'Embedding', capabilities: ['Embeddings'] });
  const { signal } = new AbortController();
  const inputs = ['red apple', 'red apple', 'blue sea'];
  const embedded = await world.router.embed({ tenantId, modelId: 'one:embed', inputs, signal });
  expect(embedded.vectors).toHaveLength(3);
  expect(embedded.vectors[0]).toEqual(embedded.vectors[1]);
  expect(embedded).toMatchObject({ modelId: 'one:embed', promptTokens: 6, costUsd: 0.000006 });
  expect(world.recorded).toMatchObject([
    { purpose: 'Embedding', status: 'Succeeded', modelId: 'one:embed', promptTokens: 6, costUsd: 0.000006 },
  ]);
  await expect(world.router.embed({ tenantId, modelId: 'auto', inputs, signal })).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
  });
});

describe('probes', () => {
  it('find a dead provider before a call does, and a recovered one', async () => {
    const { first } = await twoModels();
    const health = () => world.router.health(first, null);
    const look = async () => {
      await world.clock.advance(60_000);
      await world.probe();
    };
    expect(await answeredBy({ modelId: 'one:a' })).toMatchObject({ modelId: 'one:a' });
    const { calls } = health();
    await world.probe();
    expect(world.one.listings).toBe(0);
    await look();
    expect(world.one.listings).toBe(1);
    world.one.listStatus = 503;
    for (let n = 0; n < 5; n++) await look();
    expect(health()).toMatchObject({ circuitState: 'Open', lastError: expect.stringContaining('503') });
    world.one.listStatus = 200;
    await look();
    expect(health()).toMatchObject({ circuitState: 'Closed', calls });
  });

  it('are not made where the settings ask for none, nor of providers that are switched off', async () => {
    const { second } = await twoModels();
    await world.db.collection(routerSettings.spec).insertOne({
      _id: tenantId,
      tenantId,
      ...defaultRouterSettings,
      healthProbeSeconds: 0,
      updatedAt: new Date(0),
    });
    await answeredBy({ modelId: 'one:a' });
    await world.clock.advance(3_600_000);
    await world.probe();
    expect([world.one.listings, world.two.listings]).toEqual([0, 0]);
    await world.db.collection(routerSettings.spec).deleteMany({ tenantId });
    await world.db.collection(providerSpec).updateOne({ _id: second._id, tenantId }, { $set: { enabled: false } });
    world.router.changed(tenantId);
    await answeredBy({ modelId: 'one:a' });
    await world.clock.advance(3_600_000);
    await world.probe();
    expect([world.one.listings, world.two.listings]).toEqual([1, 0]);
  });
});
