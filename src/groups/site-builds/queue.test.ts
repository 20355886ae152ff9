// The queue of site builds: who builds what, when a later request or another builder takes a build over.
import { beforeEach, expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Publication } from '../../ports/stream.ts';
import { createIds } from '../../stores/ids.ts';
import { docRecord } from '../docs/record.ts';
import { createDueBuilds } from './due.ts';
import { type BuildQueue, createBuildQueue } from './queue.ts';
import { siteBuildRecord } from './record.ts';

const project = 7;
let clock: SimulatedClock;
let db: ReturnType<typeof openTestDb>;
let queue: BuildQueue;
let told: { type: string; status: string }[];
beforeEach(async () => {
  clock = new SimulatedClock();
  db = openTestDb(undefined, clock);
  await db.ensureIndexes([siteBuildRecord.spec, docRecord.spec]);
  told = [];
  const publish = async ({ type, data }: Publication) =>
    void told.push({ type, status: (data as { status: string }).status });
  queue = createBuildQueue({ db, ids: createIds({ db }), clock, publisher: { publish } });
});

const request = (isForced = false, projectId = project) =>
  queue.request({ tenantId: 1 }, { projectId, requestedByUserId: 1, requestedByName: 'Ada', detail: null, isForced });
const leaseMs = 60_000;
const claim = (builderHost: string) => queue.claim({ tenantId: 1, by: 'user:1', builderHost, leaseMs });
const claimed = async (builderHost: string) => {
  const build = await claim(builderHost);
  if (!build) throw new Error('nothing waits');
  return build;
};
const find = (id: number) => queue.builds.get({ tenantId: 1 }, id);
const statuses = async () =>
  (
    await queue.builds
      .of(1)
      .find({}, { sort: { _id: 1 } })
      .toArray()
  ).map((one) => one.status);

it('leaves the last of requests at once, and takes it up when the build before has ended', async () => {
  const asked = await Promise.all(Array.from({ length: 10 }, () => request()));
  const last = Math.max(...asked.map(({ _id }) => _id));
  expect(await statuses()).toEqual([...Array(9).fill('Superseded'), 'Queued']);
  expect((await find(last)).status).toBe('Queued');
  expect(told.filter(({ status }) => status === 'Superseded')).toHaveLength(9);
  const first = await claimed('a');
  expect(first._id).toBe(last);
  // One that is under way is not stopped, and what comes after it waits.
  await Promise.all([request(), request(), request()]);
  expect((await statuses()).slice(-4)).toEqual(['Building', 'Superseded', 'Superseded', 'Queued']);
  expect(await claim('b')).toBeNull();
  await queue.complete(first, { success: true });
  expect(await claim('b')).toMatchObject({ _id: last + 3, status: 'Building' });
});

it('gives a build to one of many builders, and each project one', async () => {
  await request();
  await request(false, 8);
  const got = await Promise.all(Array.from({ length: 20 }, (_, at) => claim(`host ${at}`)));
  const taken = got.filter((one) => one !== null);
  expect(taken.map(({ projectId }) => projectId).sort()).toEqual([7, 8]);
  expect(new Set(taken.map(({ builderHost }) => builderHost)).size).toBe(2);
});

it('frees a build whose lease has expired, and gives up when several builders were lost', async () => {
  await request();
  const lost = await claimed('one');
  await clock.advance(leaseMs - 1);
  await queue.recover();
  expect(await claim('two')).toBeNull();
  await clock.advance(1);
  await queue.recover();
  const second = await claimed('two');
  expect(second).toMatchObject({ _id: lost._id, attempts: 2, builderHost: 'two' });
  // Who was lost comes back: neither its lease nor its word counts any more.
  expect(await queue.renew(lost, leaseMs)).toBe(false);
  expect(await queue.complete(lost, { success: true })).toBeNull();
  expect((await find(lost._id)).status).toBe('Building');
  // One that goes on in time keeps it.
  await clock.advance(leaseMs - 1);
  expect(await queue.prolong({ tenantId: 1, by: 'user:1', builderHost: 'two', leaseMs })).toMatchObject({
    _id: lost._id,
  });
  await clock.advance(leaseMs - 1);
  await queue.recover();
  expect((await find(lost._id)).status).toBe('Building');
  await clock.advance(1);
  await queue.recover();
  await claimed('three');
  await clock.advance(leaseMs);
  await queue.recover();
  const { status, detail } = await find(lost._id);
  expect([status, detail]).toEqual(['Failed', expect.stringMatching(/3 builders were lost.*three last/)]);
});

it('keeps a force that was asked for, also through the request that takes its place', async () => {
  await request(true);
  await request();
  const build = await claimed('one');
  expect(await queue.isForced(build)).toBe(true);
  await queue.complete(build, { success: true });
  await request();
  expect(await queue.isForced(await claimed('one'))).toBe(false);
});

it('asks for a build when the time of documents comes, once, and not for sites that are off', async () => {
  const at = new Date(clock.now() + 1000);
  const later = new Date(clock.now() + 5000);
  const docs = db.collection(docRecord.spec);
  for (const [_id, projectId, siteDueAt] of [
    [1, 7, at],
    [2, 7, at],
    [3, 8, at],
    [4, 7, later],
    [5, 9, null],
  ] as const)
    await docs.insertOne({
      ...{ _id, tenantId: 1, projectId, parentDocId: null, orderKey: `a${_id}`, pathKey: `p${_id}`, slug: `s${_id}` },
      ...{ names: [], linkTargets: [], isPublished: true, publishedAt: siteDueAt, siteDueAt },
    } as never);
  const projects = { find: async (_: number, id: number) => ({ siteEnabled: id !== 8 }) as never };
  const look = createDueBuilds({ db, clock, queue, projects });
  await look();
  expect(await statuses()).toEqual([]);
  await clock.advance(1000);
  await look();
  await look();
  expect(await statuses()).toEqual(['Queued']);
  expect(await queue.newest(1, 7)).toMatchObject({ requestedByUserId: null, detail: expect.stringContaining('time') });
  await clock.advance(4000);
  await look();
  expect(await statuses()).toEqual(['Superseded', 'Queued']);
});
