import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../auth/testing/world.ts';
import type { Clock } from '../../kernel/clock.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { Publication } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createPresence, type Presence, presenceSpec } from './presence.ts';

let world: Awaited<ReturnType<typeof createAuthWorld>>;
let published: unknown[];
let who: { tenantId: number; identityId: number };

beforeEach(async () => {
  world = await createAuthWorld();
  await world.db.ensureIndexes([presenceSpec]);
  await world.boot({ adminKey: null });
  published = [];
  const identity = await world.auth.identities.findOne({});
  who = { tenantId: identity?.tenantId ?? 0, identityId: identity?._id ?? 0 };
});
afterEach(() => world.close());

const node = (nodeId: string, clock: Clock = world.clock): Presence =>
  createPresence({
    db: world.db,
    identities: perTenant(world.auth.identities),
    publisher: { publish: async ({ data }: Publication) => void published.push(data) },
    clock,
    log: silentLogger,
    nodeId,
  });
/** Its timers never strike. */
const deadClock = (): Clock => ({
  now: () => world.clock.now(),
  sleep: (ms, signal) => world.clock.sleep(ms, signal),
  every: () => () => undefined,
  after: () => () => undefined,
});
const state = async () => (await world.auth.identities.findOne({ _id: who.identityId }))?.presenceState;
const seats = () => world.db.collection(presenceSpec).countDocuments();

it('lasts as long as a socket does on any node', async () => {
  const [a, b] = [node('a'), node('b')];
  a.changed({ ...who, online: true });
  b.changed({ ...who, online: true });
  await expect.poll(seats).toBe(2);
  await expect.poll(state).toBe('Present');
  a.changed({ ...who, online: false });
  await expect.poll(seats).toBe(1);
  expect(await state()).toBe('Present');
  await b.close();
  expect(await state()).toBe('Dormant');
  await a.close();
  expect(published).toMatchObject([{ presenceState: 'Present' }, { presenceState: 'Dormant' }]);
});

it('of a node that died ends, once', async () => {
  const [a, b] = [node('a'), node('b')];
  const dead = node('dead', deadClock());
  dead.changed({ ...who, online: true });
  await expect.poll(state).toBe('Present');
  await world.clock.advance(31_000);
  await Promise.all([a.sweep(), b.sweep()]);
  await expect.poll(state).toBe('Dormant');
  expect(published).toHaveLength(2);
  await Promise.all([a.close(), b.close(), dead.close()]);
});

it('of a node that was silent for too long comes back with it', async () => {
  const [a, b] = [node('a'), node('b')];
  a.changed({ ...who, online: true });
  await expect.poll(state).toBe('Present');
  await world.db.collection(presenceSpec).updateMany({}, { $set: { until: new Date(0) } });
  await b.sweep();
  expect(await state()).toBe('Dormant');
  await a.sweep();
  expect(await state()).toBe('Present');
  await Promise.all([a.close(), b.close()]);
});

it('leaves alone what an identity says of itself while it is there', async () => {
  const a = node('a');
  a.changed({ ...who, online: true });
  await expect.poll(state).toBe('Present');
  await world.auth.identities.updateOne({ _id: who.identityId }, { $set: { presenceState: 'DeepWork' } });
  a.changed({ ...who, online: true });
  a.changed({ ...who, online: false });
  await expect.poll(state).toBe('Dormant');
  expect(published).toHaveLength(2);
  await a.close();
});
