// Moves documents: under another parent, to another place, with all below them to another project.
import { checkedPath, checkedSlug } from '../../documents/names.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { Places } from './places.ts';
import type { DocDoc, Saved } from './record.ts';

export interface Wanted {
  parentDocId?: number | null | undefined;
  sortOrder?: number | null | undefined;
  path?: string | null | undefined;
  slug?: string | null | undefined;
  projectId?: number | null | undefined;
}

interface Deps {
  docs: PerTenant<DocDoc>;
  places: Places;
}

export function createMoves({ docs, places }: Deps) {
  return {
    /** The fields of a document that stands as it is wanted; only those that differ. */
    async fieldsFor(old: DocDoc, wanted: Wanted): Promise<Saved> {
      const projectId = wanted.projectId ?? old.projectId;
      const isOther = projectId !== old.projectId;
      // In another project it stands at the top unless a parent there is named.
      const parentDocId = wanted.parentDocId !== undefined ? wanted.parentDocId : isOther ? null : old.parentDocId;
      const beside = { tenantId: old.tenantId, projectId, parentDocId };
      const isMoved = isOther || parentDocId !== old.parentDocId;
      if (isMoved) await places.checkParent(beside, old._id);
      const position = wanted.sortOrder ?? null;
      const orderKey = isMoved || position !== null ? await places.keyAt(beside, position, old._id) : null;
      return {
        ...(isOther && { projectId }),
        ...(isMoved && { parentDocId }),
        ...(orderKey !== null && { orderKey }),
        ...(wanted.path != null && { path: checkedPath(wanted.path) }),
        ...(wanted.slug != null && { slug: checkedSlug(wanted.slug) }),
      };
    },
    /** Whether two moves at once have made a circle of this document's ancestors. */
    async isInCircle({ tenantId, _id, parentDocId }: DocDoc): Promise<boolean> {
      const seen = new Set<number>();
      for (let at = parentDocId; at !== null; ) {
        if (at === _id) return true;
        if (seen.has(at)) return false;
        seen.add(at);
        at = (await docs(tenantId).findOne({ _id: at }, { projection: { parentDocId: 1 } }))?.parentDocId ?? null;
      }
      return false;
    },
    /** All below a document, each before what is below it, wherever an earlier attempt has left it. */
    async below({ tenantId, _id }: DocDoc): Promise<DocDoc[]> {
      const found: DocDoc[] = [];
      const seen = new Set([_id]);
      for (let level = [_id]; level.length > 0; ) {
        const next = await docs(tenantId)
          .find({ parentDocId: { $in: level }, deletedAt: null })
          .toArray();
        const fresh = next.filter((doc) => !seen.has(doc._id));
        for (const doc of fresh) seen.add(doc._id);
        found.push(...fresh);
        level = fresh.map((doc) => doc._id);
      }
      return found;
    },
  };
}
export type Moves = ReturnType<typeof createMoves>;
