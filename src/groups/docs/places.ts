// Where documents stand: under which parent, at which place, by which names.
import { checkedPath, checkedSlug, nameKey, slugFrom } from '../../documents/names.ts';
import { Fault } from '../../kernel/fault.ts';
import { orderKeyAt, orderKeyBetween } from '../../kernel/order.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { DocDoc } from './record.ts';

/** Levels of documents below each other. */
const deepest = 20;
/** Names that are tried for a title that many have. */
const tries = 1000;

interface Beside {
  tenantId: number;
  projectId: number;
  parentDocId: number | null;
}

export function createPlaces({ docs }: { docs: PerTenant<DocDoc> }) {
  const siblings = ({ tenantId, projectId, parentDocId }: Beside) =>
    docs(tenantId)
      .find(
        { projectId, parentDocId, deletedAt: null },
        {
          sort: { orderKey: 1 },
          projection: { _id: 1, orderKey: 1 },
        },
      )
      .toArray();

  const isTaken = async (tenantId: number, projectId: number, fields: Partial<DocDoc>, but: number | null) => {
    const found = await docs(tenantId).findOne({ projectId, ...fields }, { projection: { _id: 1 } });
    return found !== null && found._id !== but;
  };

  return {
    siblings,
    isTaken,
    /** The key of a place among those beside it; the last one unless said. Null where the document stands there already. */
    async keyAt(beside: Beside, position: number | null, id: number | null): Promise<string | null> {
      if (position === null) {
        const { tenantId, projectId, parentDocId } = beside;
        const last = { sort: { orderKey: -1 }, projection: { orderKey: 1 } } as const;
        // Removed ones keep their keys, and a new key must differ from those too.
        const found = await docs(tenantId).findOne({ projectId, parentDocId }, last);
        return orderKeyBetween(found?.orderKey ?? null, null);
      }
      const all = await siblings(beside);
      const at = all.findIndex((one) => one._id === id);
      if (id !== null && at === position) return null;
      return orderKeyAt(
        all.filter((one) => one._id !== id).map(({ orderKey }) => orderKey),
        position,
      );
    },
    /**
     * Checks that a document may stand under a parent.
     *
     * @param id - null for a new one
     * @throws Fault NOT_FOUND, CYCLE_DETECTED, VALIDATION_FAILED
     */
    async checkParent({ tenantId, projectId, parentDocId }: Beside, id: number | null): Promise<DocDoc | null> {
      let parent: DocDoc | null = null;
      let at = parentDocId;
      for (let depth = 1; at !== null; depth++) {
        const above: DocDoc | null = await docs(tenantId).findOne({ _id: at, projectId, deletedAt: null });
        if (!above && depth > 1) break;
        if (!above)
          throw new Fault('NOT_FOUND', `There is no document ${at} in project ${projectId}.`, {
            hint: 'Name a parent of the same project: GET /api/projects/{projectId}/docs/tree.',
          });
        if (above._id === id)
          throw new Fault('CYCLE_DETECTED', 'A document cannot stand below itself.', {
            hint: 'Move what is between them first, or choose another parent.',
          });
        if (depth > deepest)
          throw new Fault('VALIDATION_FAILED', `Documents stand at most ${deepest} levels deep.`, {
            hint: 'Choose a parent further up.',
          });
        parent ??= above;
        at = above.parentDocId;
      }
      return parent;
    },
    names: createNaming(isTaken),
  };
}
export type Places = ReturnType<typeof createPlaces>;

type IsTaken = (tenantId: number, projectId: number, fields: Partial<DocDoc>, but: number | null) => Promise<boolean>;

/** Slug and path of a new document: as given, else after its title, with a number where that is taken. */
function createNaming(isTaken: IsTaken) {
  return async (
    { tenantId, projectId }: Beside,
    given: { title: string; slug?: string | null | undefined; path?: string | null | undefined },
    parent: DocDoc | null,
  ) => {
    const plain = slugFrom(given.title);
    const free = async (base: string, field: 'slug' | 'pathKey') => {
      for (let number = 1; number < tries; number++) {
        const name = number === 1 ? base : `${base}-${number}`;
        if (!(await isTaken(tenantId, projectId, { [field]: nameKey(name) }, null))) return name;
      }
      throw new Fault('CONFLICT', `Too many documents are named like "${given.title}".`, {
        hint: `Give a ${field === 'slug' ? 'slug' : 'path'} of its own.`,
      });
    };
    const slug = given.slug == null ? await free(plain, 'slug') : checkedSlug(given.slug);
    const path = given.path == null ? await free(parent ? `${parent.path}/${slug}` : slug, 'pathKey') : given.path;
    return { slug, path: checkedPath(path) };
  };
}
