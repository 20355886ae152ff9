// What is remembered for a second is remembered for a second, whatever becomes of the machine's clock.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createPolicies, defaultPolicy } from './tenant-policy.ts';

it('another node’s change is seen within a second, also when the clock was set back by a day', async () => {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  const [here, there] = [createPolicies({ db, clock }), createPolicies({ db, clock })];
  expect((await here.of(1)).passwordMinLength).toBe(defaultPolicy.passwordMinLength);
  await there.replace(1, { ...defaultPolicy, passwordMinLength: 30 }, 'Ada');
  clock.jump(-86_400_000);
  await clock.advance(1001);
  expect((await here.of(1)).passwordMinLength).toBe(30);
});
