// Asks for builds of sites when the time of documents comes that were published for later.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import { type DocDoc, docRecord } from '../docs/record.ts';
import type { BuildQueue } from './queue.ts';

interface Deps {
  db: Db;
  clock: Clock;
  queue: BuildQueue;
  projects: Pick<ProjectAccess, 'find'>;
}

/** Documents that one look takes. */
const looked = 500;
const detail = 'The time of a document has come.';
const byServer = { requestedByUserId: null, requestedByName: null, isForced: false } as const;

export function createDueBuilds({ db, clock, queue, projects }: Deps) {
  const docs = db.collection(docRecord.spec);
  const ask = async ({ tenantId, projectId }: DocDoc): Promise<void> => {
    if (!(await projects.find(tenantId, projectId))?.siteEnabled) return;
    await queue.request({ tenantId }, { projectId, detail, ...byServer });
  };
  const findDue = polled(
    docs,
    async () => {
      const siteDueAt = { $gt: new Date(0), $lte: new Date(clock.now()) };
      return docs.find({ siteDueAt }, { sort: { siteDueAt: 1 }, limit: looked }).toArray();
    },
    { siteDueAt: { $gt: new Date(0) } },
  );
  return async (): Promise<void> => {
    const due = await findDue();
    const sites = new Map(due.map((doc) => [`${doc.tenantId} ${doc.projectId}`, doc]));
    for (const doc of sites.values()) await ask(doc);
    // After the builds are there: a server that dies between asks again. One that was put off meanwhile stays.
    for (const { _id, tenantId, siteDueAt: at } of due)
      await docs.updateOne({ _id, tenantId, siteDueAt: at }, { $set: { siteDueAt: null } });
  };
}
