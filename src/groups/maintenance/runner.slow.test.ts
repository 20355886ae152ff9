// Maintenance jobs of nodes that die, are slow, or die again and again.
import { expect, it, onTestFinished } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { silentLogger as log } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { openGate } from '../../ports/queues.ts';
import { createIds } from '../../stores/ids.ts';
import { maintenanceRecord } from './record.ts';
import { createRunner, mostAttempts } from './runner.ts';
import { newJob } from './service.ts';
import type { Task, Tasks } from './tasks.ts';

const task: Pick<Task, 'scope' | 'takes'> = { scope: 'tenant', takes: [] };
/** Works until its node stops. */
const never: Task['work'] = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Nodes on one store; time stands still for a node whose clock nobody moves, as for a process that was killed. */
async function openNodes() {
  const db = openTestDb();
  await db.ensureIndexes([maintenanceRecord.spec]);
  const clock = new SimulatedClock();
  const jobs = createKeeper(maintenanceRecord, { db, ids: createIds({ db }), clock });
  const node = (nodeId: string, work: Task['work'], own = clock) => {
    const tasks = { RecountTotals: { ...task, work } } as unknown as Tasks;
    const runner = createRunner({
      ...{ db, log, nodeId, tasks, gate: openGate, alone: false, clock: own },
      publisher: { publish: async () => {} },
      allTenants: async () => [1],
    });
    onTestFinished(() => runner.close());
    return runner;
  };
  const ask = () =>
    jobs.insert({ tenantId: 1 }, newJob({ RecountTotals: task } as unknown as Tasks, 1, { task: 'RecountTotals' }));
  const find = (id: number) => db.collection(maintenanceRecord.spec).findOne({ _id: id });
  return { clock, node, ask, find };
}

it('the job of a node that has died is done by another when its lease has ended, once', async () => {
  const { clock, node, ask, find } = await openNodes();
  const { _id } = await ask();
  const killed = new SimulatedClock(clock.now());
  let finish: (() => void) | null = null;
  const dead = node(
    'dead',
    () =>
      new Promise((resolve) => {
        finish = () => resolve({ processed: 1, result: 'of the dead' });
      }),
    killed,
  );
  dead.poke();
  await expect.poll(async () => (await find(_id))?.owner).toBe('dead');
  let done = 0;
  let goOn = () => {};
  const going = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const other = node('other', () => going.then(() => ({ processed: ++done, result: 'of the other' })));
  await other.run();
  await clock.advance(20_000);
  expect(await find(_id)).toMatchObject({ state: 'Running', owner: 'dead' });
  await clock.advance(15_000);
  await expect.poll(async () => (await find(_id))?.owner).toBe('other');
  // One that was slow, not dead, ends nothing any more.
  (finish as (() => void) | null)?.();
  await expect.poll(dead.active).toBe(0);
  expect(await find(_id)).toMatchObject({ state: 'Running', owner: 'other' });
  goOn();
  await expect.poll(async () => (await find(_id))?.state).toBe('Succeeded');
  expect(await find(_id)).toMatchObject({ owner: 'other', resultJson: '"of the other"', attempts: 2 });
  expect(done).toBe(1);
});

it('a job that works is not taken over, however long it takes', async () => {
  const { clock, node, ask, find } = await openNodes();
  const { _id } = await ask();
  node('slow', never).poke();
  await expect.poll(async () => (await find(_id))?.owner).toBe('slow');
  let taken = 0;
  await node('other', async () => ({ processed: ++taken, result: null })).run();
  for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
  expect(await find(_id)).toMatchObject({ state: 'Running', owner: 'slow' });
  expect(taken).toBe(0);
});

it(`a job that ends its server is given up after ${mostAttempts} attempts, and says so`, async () => {
  const { clock, node, ask, find } = await openNodes();
  const { _id } = await ask();
  for (let at = 1; at <= mostAttempts; at++) {
    node(`victim ${at}`, never, new SimulatedClock(clock.now())).poke();
    await expect.poll(async () => (await find(_id))?.owner).toBe(`victim ${at}`);
    await clock.advance(31_000);
  }
  node('last', async () => ({ processed: 1, result: null })).poke();
  await expect.poll(async () => (await find(_id))?.state).toBe('Failed');
  expect((await find(_id))?.errorMessage).toMatch(/ended 5 times/);
});
