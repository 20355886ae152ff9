// Documents as every part of the server takes them: the documents, the search over them, and who is told.
import { authCollections } from '../../auth/collections.ts';
import type { Caller } from '../../contract/caller.ts';
import { createFinder } from '../../memory/finder.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createProjectAccess } from '../../projects/access.ts';
import type { PartBase } from '../part.ts';
import { createBuildQueue } from '../site-builds/queue.ts';
import { createDocAccess } from './access.ts';
import { createFinding } from './finding.ts';
import { createLibrary } from './library.ts';
import { createMoves } from './moves.ts';
import { createPassages } from './passages.ts';
import { createPlaces } from './places.ts';
import { type DocDoc, docRecord, passageKind, versionRecord } from './record.ts';
import { toEvent } from './show.ts';

export function shelfOf(base: PartBase) {
  const { db, indexes, clock, publisher } = base;
  const docs = createKeeper(docRecord, { ...base, told: ({ doc }) => tell('doc.updated', doc) });
  const versions = createKeeper(versionRecord, base);
  const places = createPlaces({ docs: docs.of });
  const finder = createFinder({ ...indexes, clock }, passageKind);
  const passages = createPassages({ ...base, finder });
  const projects = createProjectAccess(base);
  const identities = perTenant(authCollections(db).identities);

  async function tell(type: 'doc.updated' | 'doc.published', doc: DocDoc): Promise<void> {
    const data = await toEvent(places, doc);
    await publisher.publish({ tenantId: doc.tenantId, topics: [`project:${doc.projectId}`], type, data });
  }
  const tellRemoved = async ({ tenantId, projectId, _id }: DocDoc): Promise<void> => {
    const data = { kind: 'Doc', id: _id, atUtc: new Date(clock.now()).toISOString() };
    await publisher.publish({ tenantId, topics: [`project:${projectId}`], type: 'doc.deleted', data });
  };

  const nameOf = async (tenantId: number, identityId: number | null): Promise<string | null> =>
    identityId === null ? null : ((await identities(tenantId).findOne({ _id: identityId }))?.displayName ?? null);

  const queue = createBuildQueue(base);
  /** What was published and is no more leaves the site as soon as it can be built. */
  const leaveSite = async (caller: Caller, doc: DocDoc): Promise<void> => {
    const { tenantId, projectId } = doc;
    if (!doc.isPublished || !(await queue.lastPublished(tenantId, projectId))) return;
    if (!(await projects.find(tenantId, projectId))?.siteEnabled) return;
    const asked = { requestedByUserId: caller.userId, requestedByName: caller.name };
    const detail = 'A document was taken off the site.';
    await queue.request({ tenantId }, { projectId, ...asked, detail, isForced: false });
  };

  return {
    leaveSite,
    nameOf,
    docs,
    versions,
    places,
    passages,
    projects,
    clock,
    tell,
    tellRemoved,
    library: createLibrary({ db, docs, versions, passages, places, clock }),
    finding: createFinding({ docs: docs.of, passages, finder }),
    moves: createMoves({ docs: docs.of, places }),
    access: createDocAccess({ docs, projects }),
  };
}
export type Shelf = ReturnType<typeof shelfOf>;
