// A Db on which a repeated request finds the documents of its earlier attempt, instead of failing with DUPLICATE.
import type { Collection, Db, Entity } from '../ports/db.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import { type OnceScope, onceScope } from '../ports/once.ts';

/**
 * A document whose id the request under way has taken (`ports/once.ts`) may be there from an earlier attempt: then
 * `insertOne` leaves it and copies the stored fields into the document that it was called with, so that the caller
 * answers with what was written first.
 */
export function withOwnDocuments(db: Db): Db {
  const known = new Map<string, Collection<Entity>>();

  async function insert(inner: Collection<Entity>, document: Entity, scope: OnceScope) {
    try {
      return await inner.insertOne(document);
    } catch (error) {
      if (!isDuplicate(error) || !scope.took(document._id)) throw error;
      const stored = await inner.findOne({ _id: document._id });
      if (!stored) throw error;
      for (const field of Object.keys(document)) delete (document as unknown as Record<string, unknown>)[field];
      Object.assign(document, stored);
      return { acknowledged: true, insertedId: document._id };
    }
  }

  const wrap = (inner: Collection<Entity>): Collection<Entity> => ({
    ...inner,
    insertOne(document) {
      const scope = onceScope();
      return scope ? insert(inner, document, scope) : inner.insertOne(document);
    },
  });

  return {
    ...db,
    collection<T extends Entity>(source: Parameters<Db['collection']>[0]): Collection<T> {
      const inner = db.collection<Entity>(source);
      const name = inner.collectionName;
      let own = known.get(name);
      if (!own) {
        own = wrap(inner);
        known.set(name, own);
      }
      return own as unknown as Collection<T>;
    },
  };
}
