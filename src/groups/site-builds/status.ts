// The state of a project's site, as its page and the project itself show it.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { isAtLeast } from '../../ports/project-roles.ts';
import type { Publisher } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { roleIn } from '../../projects/roles.ts';
import { docRecord } from '../docs/record.ts';
import type { SiteStatusDto } from './dto.ts';
import { countChanges } from './published.ts';
import { createBuildQueue, toBuildDto } from './queue.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
}

export function createSiteStatus(deps: Deps) {
  const queue = createBuildQueue(deps);
  const docs = perTenant(deps.db.collection(docRecord.spec));
  return async (caller: Caller, project: ProjectDoc): Promise<SiteStatusDto> => {
    const { tenantId, _id: projectId } = project;
    const [latest, last] = await Promise.all([
      queue.newest(tenantId, projectId),
      queue.lastPublished(tenantId, projectId),
    ]);
    const since = last?.startedAt ?? null;
    return {
      projectId,
      siteEnabled: project.siteEnabled,
      canPublish: caller.permissions.has('DocsPublish') && isAtLeast(roleIn(project, caller), 'Contributor'),
      latest: latest && toBuildDto(latest),
      lastPublished: last && toBuildDto(last),
      pendingChanges: await countChanges(docs, { tenantId, projectId, now: new Date(deps.clock.now()), since }),
    };
  };
}
export type SiteStatusOf = ReturnType<typeof createSiteStatus>;
