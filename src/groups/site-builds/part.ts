// Builds of sites as a part of the server; the builder itself stands in src/wiring/sites.ts.
import { createProjectAccess } from '../../projects/access.ts';
import { part } from '../part.ts';
import { siteBuilds } from './contract.ts';
import { createDueBuilds } from './due.ts';
import { createBuildQueue } from './queue.ts';
import { siteBuildRecord } from './record.ts';
import { siteBuildsService } from './service.ts';
import { createSiteStatus } from './status.ts';

/** Milliseconds between two looks for builders that are lost. */
const recoverEveryMs = 5000;
/** Milliseconds between two looks for documents that were published for a time that has come. */
const dueEveryMs = 1000;

export const siteBuildsPart = part({
  records: [siteBuildRecord],
  contracts: [siteBuilds],
  serve: (deps) => {
    const projects = createProjectAccess(deps);
    return [siteBuildsService({ queue: createBuildQueue(deps), projects, statusOf: createSiteStatus(deps) })];
  },
  rounds: (base) => {
    const queue = createBuildQueue(base);
    const due = createDueBuilds({ ...base, queue, projects: createProjectAccess(base) });
    return [
      { name: 'site builds whose builders are lost', everyMs: recoverEveryMs, work: () => queue.recover() },
      { name: 'documents whose time on a site has come', everyMs: dueEveryMs, work: due },
    ];
  },
  samples: [],
});
