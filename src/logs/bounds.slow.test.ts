// What is kept of the log: lines by days, by number and by bytes, and of a tenant by its policy.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../test/support/auth-world.ts';
import { systemLogsPart } from '../groups/system-logs/part.ts';
import { createLogTap } from '../kernel/log-tap.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createPolicies, policySpec } from '../ports/tenant-policy.ts';
import { ruleOfTenants } from '../retention/tenants.ts';
import { createLogBounds } from './bounds.ts';
import { logBodies, logChunks, logFloors } from './chunk.ts';
import { createLogFinder } from './finder.ts';
import { createLogKeeper } from './keeper.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
const [operator, tenant] = [1, 2];

let world: Awaited<ReturnType<typeof createAuthWorld>>;
beforeEach(async () => {
  world = await createAuthWorld([logChunks, logBodies, logFloors]);
});
afterEach(() => world.close());

async function open({ lines = 1e6, bytes = 1e9 } = {}) {
  const { db } = world;
  const clock = new SimulatedClock(Date.UTC(2026, 5, 1));
  const tap = createLogTap();
  const bounds = createLogBounds({ db, most: { lines, bytes } });
  const keeper = await createLogKeeper({
    ...{ db, clock, log: silentLogger, tap, nodeId: 'n1', host: 'here', slot: 1, operatorTenantId: operator },
    trim: bounds.trim,
    runOwners: async () => new Map(),
  });
  const finder = createLogFinder({ db });
  const put = (of: number, msg: string, more: object = {}) =>
    tap.put(`${JSON.stringify({ level: 30, time: clock.now(), tenant: of, msg, ...more })}\n`, null);
  const kept = async (of: number) => {
    const found = [];
    for await (const { message } of finder.lines([of], {}, { order: 'oldest' })) found.push(message);
    return found;
  };
  const sizes = async (of: number) => {
    const chunks = await db.collection(logChunks).find({ tenantId: of }).toArray();
    const sum = (name: 'lines' | 'size') => chunks.reduce((total, chunk) => total + chunk[name], 0);
    return { lines: sum('lines'), bytes: sum('size'), pieces: chunks.length };
  };
  return { ...{ db, clock, bounds, keeper, put, kept, sizes } };
}

/** A round of retention as the server has it, with lines kept for so many days. */
async function prune({ db, clock }: Awaited<ReturnType<typeof open>>, days: number): Promise<void> {
  const { rules = [], ofTenants = [] } =
    systemLogsPart.retention?.({ db, kept: { logMs: days * dayMs } } as never) ?? {};
  const policies = createPolicies({ db, clock });
  for (const rule of [...rules, ...ofTenants.map((one) => ruleOfTenants({ db, policies }, one))])
    for await (const _ of rule.prune(clock.now() - (rule.keptMs ?? 0)));
}

it('lines go when they are older than the days, an hour’s at once, and no sooner', async () => {
  const opened = await open();
  const { clock, keeper, put, kept, bounds, db } = opened;
  for (const day of [1, 2, 3]) {
    for (const of of [operator, tenant, 0]) put(of, `day ${day}`);
    await keeper.flush();
    await clock.advance(dayMs);
  }
  await prune(opened, 2);
  for (const of of [operator, tenant, 0]) expect(await kept(of)).toEqual(['day 2', 'day 3']);
  // Both parts go, and whoever follows from there is told of the gap.
  expect(await db.collection(logBodies).countDocuments({})).toBe(6);
  expect(await bounds.floor([tenant])).toBeGreaterThan(0);
  await clock.advance(1);
  await prune(opened, 2);
  for (const of of [operator, tenant, 0]) expect(await kept(of)).toEqual(['day 3']);
});

it('a tenant’s policy shortens that for its own lines alone', async () => {
  const opened = await open();
  const { clock, keeper, put, kept, db } = opened;
  await db.collection(policySpec).insertOne({
    ...(await createPolicies({ db, clock }).of(tenant)),
    ...{ _id: tenant, logRetentionDays: 1 },
  });
  for (const name of ['old', 'young']) {
    for (const of of [operator, tenant, 0]) put(of, name);
    put(tenant, `${name} error`, { level: 50, err: { type: 'Error', message: 'inside' } });
    await keeper.flush();
    if (name === 'old') await clock.advance(dayMs + hourMs);
  }
  await prune(opened, 30);
  expect(await kept(tenant)).toEqual(['young', 'young error']);
  expect(await kept(operator)).toEqual(['old', 'young']);
  // The operator's copy of an error follows the server's setting.
  expect(await kept(0)).toEqual(['old', 'old error', 'young', 'young error']);
});

/** Lines of so many characters that are no two alike, in pieces of their own. */
async function fill({ keeper, put, clock }: Awaited<ReturnType<typeof open>>, pieces: number) {
  for (let piece = 0; piece < pieces; piece++) {
    for (let i = 0; i < 70; i++) put(tenant, `${piece}-${i}`, { text: noise(1000, piece * 70 + i) });
    await keeper.flush();
    await clock.advance(11_000);
  }
}

/** Text that packs badly. */
function noise(length: number, seed: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text;
}

it('the oldest lines go where there are too many, of that log alone', async () => {
  const opened = await open({ lines: 300 });
  opened.put(operator, 'stays');
  await fill(opened, 12);
  expect((await opened.sizes(tenant)).lines).toBeLessThanOrEqual(300 + 70);
  const left = await opened.kept(tenant);
  expect(left.length).toBeGreaterThan(200);
  expect(left.at(-1)).toBe('11-69');
  expect(left).not.toContain('0-0');
  // What is left has no hole in it.
  expect(left[0]).toBe(`${12 - left.length / 70}-0`);
  expect(await opened.kept(operator)).toEqual(['stays']);
});

it('the oldest lines go where they take too much room', async () => {
  const opened = await open({ bytes: 300_000 });
  await fill(opened, 12);
  const { bytes, pieces } = await opened.sizes(tenant);
  expect(bytes).toBeLessThanOrEqual(300_000 + bytes / pieces);
  expect(bytes).toBeGreaterThan(150_000);
  expect((await opened.kept(tenant)).at(-1)).toBe('11-69');
  const ids = (await opened.db.collection(logChunks).find({}).toArray()).map(({ _id }) => _id);
  const bodies = (await opened.db.collection(logBodies).find({}).toArray()).map(({ _id }) => _id);
  expect(bodies.sort()).toEqual(ids.sort());
});
