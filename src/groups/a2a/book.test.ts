// Receivers are read by the run that an event is about: the others of their tenant stay in the store.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createA2aBook } from './book.ts';
import { type A2aReceiverDoc, a2aDeliverySpec, a2aReceiverSpec, a2aTaskSpec } from './record.ts';

const receiver = (runId: number, tenantId = 1): A2aReceiverDoc => ({
  ...{
    _id: `task-${runId}/mine`,
    tenantId,
    taskId: `task-${runId}`,
    runId,
    name: 'mine',
    url: 'https://hook.example/',
  },
  ...{ sealedToken: null, scheme: null, sealedCredentials: null, createdByUserId: 1, createdByIdentityId: null },
  createdAt: new Date(0),
});
const status = (id: number) => ({ type: 'run.status', data: { id, status: 'Completed' } });

it('knows those of one run, whatever else its tenant has, and hears nothing else', async () => {
  const db = openTestDb();
  await db.ensureIndexes([a2aTaskSpec, a2aReceiverSpec, a2aDeliverySpec]);
  const { receivers, ready } = createA2aBook({
    db,
    clock: new SimulatedClock(),
    signals: { tenants: null, runs: null },
  } as never);
  for (let runId = 1; runId <= 300; runId++) await receivers.insertOne(receiver(runId));
  await receivers.insertOne(receiver(301, 2));
  expect(ready.known(1, status(7))).toBeUndefined();
  const found = await ready.read(1, status(7));
  expect(found.map((one) => one.receiver.runId)).toEqual([7]);
  expect(ready.known(1, status(7))).toEqual(found);
  expect(found[0]?.takes({ tenantId: 2 })).toBe(false);
  expect(await ready.read(3, status(7))).toEqual([]);
  expect(ready.known(3, status(8))).toEqual([]);
  expect(ready.known(1, { type: 'run.text', data: { id: 7 } })).toEqual([]);
  await receivers.deleteOne({ _id: 'task-7/mine' });
  ready.changed(1, 7);
  expect(await ready.read(1, status(7))).toEqual([]);
});
