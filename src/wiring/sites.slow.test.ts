// The server's own builder: a build that fails, or whose server died, leaves the site as it was.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../test/support/embedded-db.ts';
import { loadConfig } from '../config.ts';
import { docRecord, versionRecord } from '../groups/docs/record.ts';
import { createBuildQueue } from '../groups/site-builds/queue.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { silentLogger as log } from '../kernel/logger.ts';
import { openGate } from '../ports/queues.ts';
import { projectRecord } from '../projects/record.ts';
import { openSites } from './sites.ts';
import { openStorage, type Storage } from './storage.ts';

const projectId = 7;
let storage: Storage;
let config: ReturnType<typeof loadConfig>;
const publisher = { publish: async () => {} };

beforeEach(async () => {
  config = loadConfig({ RIVULET_DATA: temporaryFolder() });
  storage = await openStorage({ config, clock, log, durable: false });
  onTestFinished(() => storage.close());
  await storage.db.ensureIndexes([docRecord.spec, versionRecord.spec, projectRecord.spec]);
  const project = { _id: projectId, tenantId: 1, key: 'RIV', name: 'River', description: null };
  const site = { siteEnabled: true, siteSlug: 'river', members: [], createdAt: new Date(), deletedAt: null };
  await storage.db.collection(projectRecord.spec).insertOne({ ...project, ...site } as never);
});

const queueOf = () => createBuildQueue({ ...storage, clock, publisher });
const open = async () => {
  const sites = await openSites({
    ...{ config, storage, clock, log, publisher },
    nodeId: 'n',
    gate: openGate,
    address: { publicUrl: () => null, localUrl: () => 'http://x' },
  });
  onTestFinished(() => sites.close());
  return sites;
};
const publish = async (_id: number, slug: string, content: string) => {
  const now = new Date();
  const names = { orderKey: `a${_id}`, path: `${_id}`, pathKey: `${_id}`, slug, names: [`${_id}`], linkTargets: [] };
  const shown = { isPublished: true, publishedAt: now, classification: 'Public', includeInNav: true, type: 'Page' };
  const of = { tenantId: 1, projectId, createdAt: now };
  const doc = { ...of, _id, parentDocId: null, title: slug.slice(0, 20), version: 1, updatedAt: now, deletedAt: null };
  await storage.db.collection(docRecord.spec).insertOne({ ...doc, ...names, ...shown } as never);
  await storage.db.collection(versionRecord.spec).insertOne({ ...of, _id, docId: _id, version: 1, content } as never);
};
const ask = () =>
  queueOf().request(
    { tenantId: 1 },
    { projectId, requestedByUserId: null, requestedByName: null, detail: null, isForced: false },
  );
const ended = async (id: number) => {
  const find = () => queueOf().builds.get({ tenantId: 1 }, id);
  await expect.poll(async () => (await find()).finishedAt, { timeout: 20_000 }).not.toBeNull();
  return find();
};
const filesOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => [join(one.parentPath, one.name), readFileSync(join(one.parentPath, one.name), 'utf8')]),
  );

it('leaves the site whole when a build fails, and nothing of the failed one', async () => {
  const sites = await open();
  await publish(1, 'start', 'first text');
  expect(await ended((await ask())._id)).toMatchObject({ status: 'Published' });
  const folder = (await sites.folderOf('river')) as string;
  const before = filesOf(folder);
  expect(before[join(folder, 'start.html')]).toContain('first text');
  // No file system takes a name so long: the build fails after it has written others.
  await publish(2, 'a-page', 'second text');
  await publish(3, 'x'.repeat(400), 'third text');
  const failed = await ended((await ask())._id);
  expect(failed).toMatchObject({
    status: 'Failed',
    detail: expect.stringMatching(/ENAMETOOLONG.*The site is as it was/),
  });
  expect(await sites.folderOf('river')).toBe(folder);
  expect(filesOf(folder)).toEqual(before);
  expect(readdirSync(join(folder, '..'))).toHaveLength(1);
  await storage.db.collection(docRecord.spec).deleteOne({ _id: 3, tenantId: 1 });
  expect(await ended((await ask())._id)).toMatchObject({ status: 'Published' });
  expect(await sites.folderOf('river')).not.toBe(folder);
});

it('takes up at the next start what a dead server was building', async () => {
  await publish(1, 'start', 'first text');
  const { _id } = await ask();
  const claim = { by: 'server', builderHost: 'dead', leaseMs: 3_600_000 };
  expect(await queueOf().claim(claim)).toMatchObject({ _id });
  await open();
  expect(await ended(_id)).toMatchObject({ status: 'Published', attempts: 2, builderHost: 'n' });
});
