// Versions where several nodes write to one store: what another has written is known as soon as it says so.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { type Bump, createVersions, versionsSpec } from './versions.ts';

it('hears of the writes of other nodes, and reads their numbers anew', async () => {
  const { changes: _, ...db } = openTestDb();
  await db.ensureIndexes([versionsSpec]);
  const clock = new SimulatedClock(0);
  const [mine, other] = [createVersions({ db, clock }), createVersions({ db, clock })];
  const handlers: ((bump: Bump) => void)[] = [];
  const heard: number[] = [];
  mine.join({ send: () => {}, listen: (handler) => handlers.push(handler) });
  other.join({ send: (bump) => void handlers.map((handler) => handler(bump)), listen: () => {} });
  mine.onBump('connectors', (tenantId) => heard.push(tenantId));
  expect(await mine.of(7, 'connectors')).toBe(0);
  await other.bump(7, 'connectors');
  await other.bump(7, 'standing_rules');
  expect(heard).toEqual([7]);
  expect(await mine.of(7, 'connectors')).toBe(1);
  await mine.bump(8, 'connectors');
  expect(heard).toEqual([7, 8]);
});
