// Briefs of parts that a tenant has nothing in are not asked for: a part tells of its own documents alone.
import type { AnyCollectionSpec, Db, Entity } from '../ports/db.ts';
import { collectionSpec } from '../ports/db.ts';

type Brief<About, Text> = (about: About) => Promise<Text | null>;

interface OfTenant extends Entity {
  tenantId: number;
}

/** What was found for a tenant, and the count of changes at which it was. */
interface Known {
  at: number;
  isEmpty: boolean;
}

/** Tenants remembered at most; they only spare reads. */
const kept = 10_000;

/** The brief itself where the store does not count changes, since others write to it, too. */
export function whereFilled<About extends { tenantId: number }, Text>(
  db: Pick<Db, 'changes' | 'collection'>,
  specs: readonly Pick<AnyCollectionSpec, 'name'>[],
  brief: Brief<About, Text>,
): Brief<About, Text> {
  const { changes } = db;
  if (!changes || specs.length === 0) return brief;
  const own = specs.map(({ name }) => collectionSpec<OfTenant>({ name: name as Lowercase<string> }));
  const counts = own.map((spec) => changes(spec, 'tenantId'));
  const known = new Map<number, Known>();

  const look = async (tenantId: number, at: number): Promise<Known> => {
    const some = own.map((spec) => db.collection(spec).findOne({ tenantId }, { projection: { _id: 1 } }));
    const found = { at, isEmpty: (await Promise.all(some)).every((one) => one === null) };
    if (known.size >= kept) known.clear();
    known.set(tenantId, found);
    return found;
  };

  return async (about) => {
    const { tenantId } = about;
    const at = counts.reduce((sum, count) => sum + count(tenantId), 0);
    const last = known.get(tenantId);
    const { isEmpty } = last?.at === at ? last : await look(tenantId, at);
    return isEmpty ? null : brief(about);
  };
}
