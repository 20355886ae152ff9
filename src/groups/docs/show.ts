// Documents and versions as answers and as events.
import { isForAllReaders } from '../../documents/clearance.ts';
import { type Branch, treeOf } from '../../documents/tree.ts';
import type { Filter } from '../../ports/db.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { type DocLinkDto, DocListDto, type DocNavNodeDto, DocVersionDto } from './dto.ts';
import type { Places } from './places.ts';
import type { DocDoc, VersionDoc } from './record.ts';

export const toLinkDto = ({ _id, title, slug, path }: DocDoc): DocLinkDto => ({ id: _id, title, slug, path });

/** Documents as lists show them; their places are counted among all that stand beside them. */
export async function toListDtos(places: Places, docs: readonly DocDoc[]): Promise<DocListDto[]> {
  const beside = new Map<string, Promise<Map<number, number>>>();
  const placeOf = async ({ _id, tenantId, projectId, parentDocId }: DocDoc) => {
    const key = `${projectId} ${parentDocId}`;
    const order =
      beside.get(key) ??
      places.siblings({ tenantId, projectId, parentDocId }).then((all) => new Map(all.map((one, at) => [one._id, at])));
    beside.set(key, order);
    return (await order).get(_id) ?? 0;
  };
  return Promise.all(docs.map(async (doc) => shown(DocListDto, doc, { sortOrder: await placeOf(doc) })));
}

/** As whoever follows the project may hear of it: of what only some may see, that it changed. */
export async function toEvent(places: Places, doc: DocDoc): Promise<DocListDto> {
  const [dto] = (await toListDtos(places, [doc])) as [DocListDto];
  if (isForAllReaders(doc.classification)) return dto;
  const silent = { slug: null, excerpt: null, tags: null, icon: null, coverImageUrl: null, authorName: null };
  return { ...dto, ...silent, title: '', path: '' };
}

/** A tree of those that the reader may see. */
export function toTree(docs: readonly DocDoc[]): { roots: DocNavNodeDto[] } {
  const toNode = ({ doc, children }: Branch<DocDoc>, sortOrder: number): DocNavNodeDto => ({
    ...toLinkDto(doc),
    icon: doc.icon,
    isGroup: doc.isGroup,
    isPublished: doc.isPublished,
    sortOrder,
    children: children.map(toNode),
  });
  return { roots: treeOf(docs).map(toNode) };
}

/** The documents beside one in the order of the tree, of those that the filter allows. */
export async function neighboursOf(docs: PerTenant<DocDoc>, doc: DocDoc, within: Filter<DocDoc>) {
  const { tenantId, projectId, parentDocId, orderKey } = doc;
  const find = async (side: { $lt: string } | { $gt: string }, direction: 1 | -1) => {
    const filter = { ...within, projectId, parentDocId, orderKey: side };
    const found = await docs(tenantId).findOne(filter, { sort: { orderKey: direction } });
    return found && toLinkDto(found);
  };
  const [prevDoc, nextDoc] = await Promise.all([find({ $lt: orderKey }, -1), find({ $gt: orderKey }, 1)]);
  return { prevDoc, nextDoc };
}

export const toVersionDto = (doc: Pick<DocDoc, 'version'>, entry: VersionDoc): DocVersionDto =>
  shown(DocVersionDto, entry, { isCurrent: entry.version === doc.version });
