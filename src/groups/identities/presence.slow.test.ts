import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../../test/support/auth-world.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { Publication } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createPresence, type Presence } from './presence.ts';
import { createPresenceStates, presenceSpec } from './presence-states.ts';

let world: Awaited<ReturnType<typeof createAuthWorld>>;
let published: unknown[];
let who: { tenantId: number; identityId: number };

beforeEach(async () => {
  world = await createAuthWorld([presenceSpec]);
  await world.boot({ adminKey: null });
  published = [];
  const identity = await world.auth.identities.findOne({});
  who = { tenantId: identity?.tenantId ?? 0, identityId: identity?._id ?? 0 };
});
afterEach(() => world.close());

const states = (clock: Clock = world.clock) =>
  createPresenceStates({
    db: world.db,
    identities: perTenant(world.auth.identities),
    publisher: { publish: async ({ data }: Publication) => void published.push(data) },
    clock,
  });
const node = (nodeId: string, clock: Clock = world.clock): Presence =>
  createPresence({ db: world.db, states: states(clock), clock, log: silentLogger, nodeId });
/** Its timers never strike. */
const deadClock = (): Clock => ({
  now: () => world.clock.now(),
  steady: () => world.clock.steady(),
  sleep: (ms, signal) => world.clock.sleep(ms, signal),
  every: () => () => undefined,
  after: () => () => undefined,
});
const state = async (_id = who.identityId) => (await world.auth.identities.findOne({ _id }))?.presenceState;
const seats = () => world.db.collection(presenceSpec).countDocuments();

it('lasts as long as a socket does on any node', async () => {
  const [a, b] = [node('a'), node('b')];
  a.changed({ ...who, online: true });
  b.changed({ ...who, online: true });
  await expect.poll(seats).toBe(2);
  await expect.poll(() => state()).toBe('Present');
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
  await expect.poll(() => state()).toBe('Present');
  await world.clock.advance(31_000);
  await Promise.all([a.sweep(), b.sweep()]);
  await expect.poll(() => state()).toBe('Dormant');
  expect(published).toHaveLength(2);
  await Promise.all([a.close(), b.close(), dead.close()]);
});

it('of a node that was silent for too long comes back with it', async () => {
  const [a, b] = [node('a'), node('b')];
  a.changed({ ...who, online: true });
  await expect.poll(() => state()).toBe('Present');
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
  await expect.poll(() => state()).toBe('Present');
  await states().say(who, { presenceState: 'DeepWork', statusText: null, until: null });
  a.changed({ ...who, online: true });
  a.changed({ ...who, online: false });
  await expect.poll(() => state()).toBe('Dormant');
  expect(published).toMatchObject(['Present', 'DeepWork', 'Dormant'].map((presenceState) => ({ presenceState })));
  await a.close();
});

it('goes back to what the sockets say when the time of what was said is over', async () => {
  const [a, b] = [node('a', deadClock()), node('b', deadClock())];
  const until = new Date(world.clock.now() + 15_000);
  const identity = (await world.auth.identities.findOne({ _id: who.identityId })) as IdentityDoc;
  const away = { ...who, identityId: 999 };
  await world.auth.identities.insertOne({ ...identity, _id: 999, guid: randomUUID(), nameKey: 'away' });
  a.changed({ ...who, online: true });
  await expect.poll(() => state()).toBe('Present');
  await states().say(who, { presenceState: 'DeepWork', statusText: 'reads', until });
  await states().say(away, { presenceState: 'Engaged', statusText: null, until });
  await world.clock.advance(10_000);
  await Promise.all([a.sweep(), b.sweep()]);
  expect(await state()).toBe('DeepWork');
  await world.clock.advance(10_000);
  await Promise.all([a.sweep(), b.sweep()]);
  expect(await state()).toBe('Present');
  expect(await state(999)).toBe('Dormant');
  expect(await seats()).toBe(1);
  await Promise.all([a.close(), b.close()]);
});
