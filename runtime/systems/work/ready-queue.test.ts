// The choice among claimable runs by what their units leave.
import { expect, it } from 'vitest';
import { createReadyQueue, type Ready, type Room } from './ready-queue.ts';

const slots = { slots: 10, slotsPerTenant: 10, slotsPerTree: 10 };
const ready = (runId: number): Ready => ({ runId, rootRunId: runId, tenantId: 1, projectId: runId, identityId: 1 });

it('passes by the runs of a full unit, and takes them when one of it has ended', () => {
  const units = new Map<number, Room['ofUnits']>();
  const queue = createReadyQueue(slots, ({ runId }) => ({ ofTenant: 10, ofUnits: units.get(runId) ?? [] }));
  const shared = [{ unitId: 7, maxConcurrentRuns: 1 }];
  for (const id of [1, 2, 3]) queue.offer(ready(id));
  units.set(1, shared);
  units.set(2, [...shared, { unitId: 8, maxConcurrentRuns: 5 }]);
  const first = queue.take() as Ready;
  expect([first.runId, queue.begin(first)]).toEqual([1, [7]]);
  const second = queue.take() as Ready;
  queue.begin(second);
  expect([second.runId, queue.take(), queue.unitLoad(7)]).toEqual([3, null, 1]);
  // The run belongs to no unit any more when it ends: it is taken off those that it was counted for.
  units.delete(1);
  queue.end(first);
  expect([queue.unitLoad(7), queue.take()?.runId]).toEqual([0, 2]);
});

it('takes no run whose limits were not read yet', () => {
  let room: Room | null = null;
  const queue = createReadyQueue(slots, () => room);
  queue.offer(ready(1));
  expect(queue.take()).toBeNull();
  room = { ofTenant: 1, ofUnits: [] };
  expect(queue.take()?.runId).toBe(1);
});
