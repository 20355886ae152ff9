// Whether a run wrote the document that its contract asks for.
import { nameKey } from '../../documents/names.ts';
import type { Db } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type DocDoc, docRecord, versionRecord } from './record.ts';

interface Working {
  id: number;
  tenantId: number;
  projectId: number | null;
}

/**
 * The document of a run's project that has this id, path, slug or title and was written by the run; any that it wrote
 * without a target. Null where the run has no project.
 */
export function createDocumentBy({ db }: { db: Db }) {
  const docs = perTenant(db.collection(docRecord.spec));
  const versions = perTenant(db.collection(versionRecord.spec));
  return async ({ id, tenantId, projectId }: Working, target: string) => {
    if (projectId === null) return null;
    const written = await versions(tenantId)
      .find({ sourceRunId: id }, { projection: { docId: 1 }, limit: 1000 })
      .toArray();
    const ids = [...new Set(written.map(({ docId }) => docId))];
    const there = { _id: { $in: ids }, projectId, deletedAt: null };
    const found = await docs(tenantId).find(there).toArray();
    const wanted = nameKey(target.trim());
    const isMeant = (doc: DocDoc) =>
      wanted === '' || String(doc._id) === wanted || doc.names.includes(wanted) || nameKey(doc.title) === wanted;
    const doc = found.find(isMeant);
    if (doc) return { met: true, detail: `Document ${doc._id}, ${doc.title}, version ${doc.version}.` };
    return { met: false, detail: `The run has not written the document ${target} of its project; doc_write does.` };
  };
}
export type DocumentBy = ReturnType<typeof createDocumentBy>;
