// Restores documents of projects, each below the one that it stood below.
import { nameKey } from '../../../documents/names.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Shelf } from '../../docs/shelf.ts';
import type { ItemDoc } from '../record.ts';
import type { Restoring, RestoringDeps } from './restoring.ts';
import { type Whole, wholeOf } from './wholes.ts';

export interface DocumentDeps extends RestoringDeps {
  shelf: Pick<Shelf, 'docs' | 'library' | 'places'>;
}

export function createRestoringDocuments({ sets, shelf }: DocumentDeps) {
  const { docs, library, places } = shelf;

  /** Where it stood; another path or slug where somebody else's document has it. */
  const placeOf = async (
    r: Restoring,
    { path, slug, parentPath }: Pick<Whole<'document'>, 'path' | 'slug' | 'parentPath'>,
    projectId: number,
  ) => {
    const { tenantId } = r.by;
    const above = parentPath === null ? null : { projectId, pathKey: nameKey(parentPath), deletedAt: null };
    const parent = above && (await docs.of(tenantId).findOne(above, { projection: { _id: 1 } }));
    const free = async (fields: object) => !(await places.isTaken(tenantId, projectId, fields, null));
    return {
      parentDocId: parent?._id ?? null,
      path: (await free({ pathKey: nameKey(path) })) ? path : null,
      slug: (await free({ slug })) ? slug : null,
    };
  };

  const restore = async (r: Restoring, item: ItemDoc): Promise<void> => {
    const { by, held, restore: choice } = r;
    const { project, changeSummary, ...data } = wholeOf('document', item);
    const projectId = r.projectOf(project) as number;
    const onceKey = `import:${held.doc._id}:${item._id}:${held.doc.commits}`;
    const author = { name: data.authorName, onceKey, changeSummary };
    const there = await library.madeBy(by, onceKey, data.content, author);
    const {
      id: _,
      kind: _kind,
      createdAtUtc: _made,
      updatedAtUtc: _changed,
      parentPath: _above,
      publishedAtUtc,
      ...fields
    } = data;
    const published = { publishedAt: publishedAtUtc === null ? null : new Date(publishedAtUtc) };
    const about = { ...fields, ...published, authorUserId: choice.userId };
    const made =
      there ??
      (await library.create(
        { ...about, ...(await placeOf(r, data, projectId)), projectId, position: null },
        by,
        author,
      ));
    await sets.items(by.tenantId).updateOne({ _id: item._id }, { $set: { madeId: made._id } });
  };

  return {
    /** Restores folders before what they contain. */
    async all(r: Restoring): Promise<void> {
      const order: { id: number; depth: number }[] = [];
      for await (const item of r.itemsOf('document'))
        order.push({ id: item._id, depth: wholeOf('document', item).path.split('/').length });
      order.sort((a, b) => a.depth - b.depth || a.id - b.id);
      for (const { id } of order) {
        r.held.check();
        const item = await sets.items(r.by.tenantId).findOne({ _id: id });
        if (item) await restore(r, item);
      }
    },
    async remove(tenantId: number, importId: number): Promise<void> {
      const made = { importId, wholeKind: 'document', madeId: { $gt: 0 } } as const;
      for await (const { _id, madeId } of sets.items(tenantId).find(made, { sort: { _id: -1 } })) {
        const doc = await docs.find({ tenantId }, madeId as number);
        if (doc) await library.remove({ tenantId }, doc).catch(ifThere);
        await sets.items(tenantId).updateOne({ _id }, { $set: { madeId: null } });
      }
    },
  };
}

const ifThere = (error: unknown) => {
  if (!(error instanceof Fault && error.code === 'NOT_FOUND')) throw error;
};
