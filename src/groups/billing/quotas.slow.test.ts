// Quotas and meters over what is stored: what is refused, and that the parts of usage add up to the calls.
import { expect, it } from 'vitest';
import { runRecord } from '../../../runtime/testing/samples.ts';
import type { Caller } from '../../contract/caller.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { callSpec } from '../../ports/ai-router.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { runs } from '../../stores/runs/collections.ts';
import { createRunStore } from '../../stores/runs/run-store.ts';
import type { PlanQuotaDto } from './dto.ts';
import { day, openBillingWorld, tenantId } from './testing/world.ts';
import { usageOf } from './usage.ts';
import { usageRecords } from './usage-records.ts';

const hard = (meter: PlanQuotaDto['meter'], limit: number): PlanQuotaDto => ({
  ...{ meter, included: 0, limit, overagePriceUsd: null, hardLimit: true },
});
const refused = { code: 'QUOTA_EXCEEDED', hint: expect.stringContaining('/api/billing') };
const caller = { tenantId, projects: undefined } as unknown as Caller;

it('lets through what fits, to many at once as to one after the other', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan({ quotas: [hard('ModelCalls', 5)] });
  await world.subscribe(plan._id);
  await world.call();
  const asked = Array.from({ length: 20 }, () => world.quotas.require(tenantId, { ModelCalls: 1 }));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  await expect(world.quotas.require(tenantId, { ModelCalls: 1 })).rejects.toMatchObject(refused);
});

it('counts what was really used when it looks again, also after a restart', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan({ quotas: [hard('PromptTokens', 100)] });
  await world.subscribe(plan._id);
  await world.call({ promptTokens: 99 });
  await world.quotas.require(tenantId, { PromptTokens: 0 });
  await world.call({ promptTokens: 1 });
  await world.pass(1001);
  await expect(world.quotas.require(tenantId, { PromptTokens: 0 })).rejects.toMatchObject(refused);
  await expect(world.node().quotas.require(tenantId, { PromptTokens: 0 })).rejects.toMatchObject(refused);
  await world.pass(31 * day);
  await world.quotas.require(tenantId, { PromptTokens: 0 });
});

it('holds the default plan against those who chose none, and nothing where there is no plan', async () => {
  const world = await openBillingWorld();
  await world.quotas.require(tenantId, { Memories: 1e9, Runs: 1e9 });
  await world.plan({ isDefault: true, quotas: [hard('Memories', 2)] });
  await world.pass(1001);
  await world.quotas.require(tenantId, { Memories: 2 });
  await expect(world.quotas.require(tenantId, { Memories: 1 })).rejects.toMatchObject(refused);
});

it('lets a soft limit pass', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan({ quotas: [{ ...hard('Runs', 1), hardLimit: false }] });
  await world.subscribe(plan._id);
  await world.quotas.require(tenantId, { Runs: 5 });
});

it('adds up: projects, models and identities to the whole, and the whole to the calls and to the records', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T12:00:00Z'));
  let state = 7;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  for (let n = 0; n < 150; n++)
    await world.call({
      ...{ projectId: pick([null, 1, 2]), identityId: pick([null, 8, 9]), modelId: pick(['m:a', 'm:b']) },
      ...{ purpose: pick(['Chat', 'Run', 'Embedding']), status: pick(['Succeeded', 'Failed']) },
      ...{ promptTokens: below(1000), completionTokens: below(100), costUsd: below(1000) / 1e5 },
      createdAt: new Date(Date.parse('2026-01-01T00:00:00Z') + below(31 * day)),
    });
  const span = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2026-02-01T00:00:00Z') };
  const whole = await world.book.meters.flows(tenantId, span);
  const sum = (all: readonly (number | undefined)[]) =>
    Math.round(all.reduce((left: number, one) => left + (one ?? 0), 0) * 1e6) / 1e6;
  const meters = ['ModelCalls', 'PromptTokens', 'CompletionTokens', 'EmbeddingTokens', 'ModelCostUsd'] as const;
  for (const group of ['Project', 'OrgUnit', 'Model', 'Identity'] as const) {
    const parts = await world.book.meters.flowsBy(tenantId, span, group);
    for (const meter of meters)
      expect([meter, sum(parts.map(({ used }) => used[meter]))]).toEqual([meter, whole[meter]]);
  }
  const calls = await world.db.collection(callSpec).find({ tenantId }).toArray();
  expect(whole.ModelCalls).toBe(calls.filter(({ status }) => status === 'Succeeded').length);
  expect(sum([whole.PromptTokens, whole.EmbeddingTokens])).toBe(sum(calls.map((one) => one.promptTokens)));
  expect(whole.ModelCostUsd).toBe(sum(calls.map((one) => one.costUsd)));
  const deps = { db: world.db, clock: world.clock, runs: perTenant(world.db.collection(runs)) };
  for (const meter of meters) {
    const { items, totalCount } = await usageRecords(deps, caller, { page: 1, pageSize: 200, meter });
    expect([meter, sum(items.map(({ quantity }) => quantity))]).toEqual([meter, whole[meter]]);
    expect(totalCount).toBe(items.length);
  }
  const pages = [1, 2, 3, 4].map((page) => usageRecords(deps, caller, { page, pageSize: 150 }));
  const records = (await Promise.all(pages)).flatMap(({ items }) => items);
  expect(new Set(records.map(({ id }) => id)).size).toBe(600);
  expect(records.map((one) => one.occurredAtUtc)).toEqual(
    records
      .map((one) => one.occurredAtUtc)
      .sort()
      .reverse(),
  );
});

it('counts runs that were deleted: what they used was used', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-05T12:00:00Z'));
  const store = createRunStore({
    db: world.db,
    ids: world.book.ids,
    logger: silentLogger,
    clock: world.clock,
    alone: true,
  });
  for (const id of [1, 2])
    await store.runs.insert(runRecord({ id, tenantId, createdAt: world.clock.now(), activeMs: 90_000 }), {});
  const span = { from: world.clock.now() - day, to: world.clock.now() + day };
  const before = await world.book.meters.flows(tenantId, span);
  expect(before).toMatchObject({ Runs: 2, RunMinutes: 3 });
  await store.runs.remove(1);
  await store.runs.remove(1);
  expect(await world.book.meters.flows(tenantId, span)).toEqual(before);
  expect(await world.book.meters.flowsBy(tenantId, span, 'Project')).toMatchObject([{ key: null, used: { Runs: 2 } }]);
  expect(await world.book.meters.flows(tenantId, { from: span.to, to: span.to + day })).toEqual({});
});

it('shows meters against the plan and where they will stand', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const soft = { meter: 'ModelCalls' as const, included: 2, limit: 10, overagePriceUsd: 0.5, hardLimit: false };
  const plan = await world.plan({ quotas: [soft] });
  await world.subscribe(plan._id, 1);
  for (let n = 0; n < 4; n++) await world.call({ projectId: n === 0 ? 7 : null });
  await world.pass(15.5 * day);
  const usage = await usageOf(world.book, tenantId, {});
  expect(usage).toMatchObject({
    planName: 'Pro',
    overageCostUsd: 1,
    totalCostUsd: 31,
    projectedTotalUsd: 33,
    modelCostUsd: 1,
  });
  const [meter] = usage.meters.filter((one) => one.meter === 'ModelCalls');
  expect(meter).toMatchObject({
    used: 4,
    overage: 2,
    overageCostUsd: 1,
    percentUsed: 40,
    projectedUsed: 8,
    state: 'Ok',
  });
  const part = await usageOf(world.book, tenantId, { projectId: 7 });
  expect(part).toMatchObject({ totalCostUsd: 0, modelCostUsd: 0.25 });
  expect(part.meters.find((one) => one.meter === 'ModelCalls')).toMatchObject({ used: 1, state: 'Unlimited' });
});
