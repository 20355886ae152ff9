// The passages of documents, which follow each change of a text, a title or a classification.
import { passagesOf } from '../../documents/passages.ts';
import { outlineOf } from '../../markdown/outline.ts';
import type { Finder } from '../../memory/finder.ts';
import { wordsEntry } from '../../memory/indexing.ts';
import { unindexed } from '../../memory/kinds.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';
import { type DocDoc, docRecord, type PassageDoc, passageKind, passageRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  indexes: Indexes;
  finder: Finder<PassageDoc>;
}

type Said = Pick<PassageDoc, 'projectId' | 'classification' | 'title' | 'heading' | 'text'>;

const wantedOf = ({ projectId, classification, title }: DocDoc, content: string): Said[] =>
  passagesOf(outlineOf(content)).map((one) => ({ projectId, classification, title, ...one }));

export function createPassages({ db, ids, indexes, finder }: Deps) {
  const of: PerTenant<PassageDoc> = perTenant(db.collection(passageRecord.spec));
  const docs = perTenant(db.collection(docRecord.spec));

  const write = async (doc: DocDoc, ordinal: number, said: Said, old: PassageDoc | undefined): Promise<PassageDoc> => {
    const { tenantId, _id: docId } = doc;
    if (old) {
      const isReworded = (['title', 'heading', 'text'] as const).some((name) => old[name] !== said[name]);
      const $set = { ...said, pending: true, ...(isReworded ? { embeddingModel: null } : {}) };
      const update = { $set, $inc: { revision: 1 } };
      return (await of(tenantId).findOneAndUpdate({ _id: old._id }, update, { returnDocument: 'after' })) ?? old;
    }
    const place = { _id: await ids.next(passageRecord.spec.name), tenantId, docId, ordinal };
    const made: PassageDoc = { ...place, ...said, ...unindexed, createdAt: doc.updatedAt };
    await of(tenantId).insertOne(made);
    return made;
  };

  const purge = async (doc: Pick<DocDoc, 'tenantId' | '_id'>, from = 0): Promise<void> => {
    const gone = await of(doc.tenantId)
      .find({ docId: doc._id, ordinal: { $gte: from } })
      .toArray();
    if (gone.length === 0) return;
    const all = gone.map(({ _id }) => _id);
    await of(doc.tenantId).deleteMany({ _id: { $in: all } });
    await finder.forget(doc.tenantId, all);
  };

  const follow = async (doc: DocDoc, content: string): Promise<void> => {
    const { tenantId, projectId, classification } = doc;
    const wanted = wantedOf(doc, content);
    const there = await of(tenantId)
      .find({ docId: doc._id }, { sort: { ordinal: 1 } })
      .toArray();
    const changed: PassageDoc[] = [];
    try {
      for (const [ordinal, said] of wanted.entries()) {
        const old = there[ordinal];
        const isSame = old && (Object.keys(said) as (keyof Said)[]).every((name) => old[name] === said[name]);
        if (!isSame) changed.push(await write(doc, ordinal, said, old));
      }
    } catch (error) {
      // Somebody follows a change of the same document: the next round compares again.
      if (!isDuplicate(error)) throw error;
      return;
    }
    await purge(doc, wanted.length);
    if (changed.length > 0)
      await indexes.words.upsert(
        passageKind.name,
        changed.map((one) => wordsEntry(passageKind, one)),
      );
    // Only if nothing has changed meanwhile.
    const same = { _id: doc._id, version: doc.version, projectId, classification };
    await docs(tenantId).updateOne(same, { $set: { passagesPending: false } });
  };

  return {
    of,
    follow,
    /** Removes the passages of a document that is gone, and its versions' claim on the index with them. */
    async purge(doc: DocDoc): Promise<void> {
      await purge(doc);
      await docs(doc.tenantId).updateOne({ _id: doc._id }, { $set: { passagesPending: false } });
    },
    hasEmbedding: async ({ tenantId, _id }: DocDoc): Promise<boolean> => {
      const one = await of(tenantId).findOne({ docId: _id }, { sort: { ordinal: 1 } });
      return one !== null && one.embeddingModel !== null;
    },
  };
}
export type Passages = ReturnType<typeof createPassages>;

/** Follows what writers left that died. */
export async function repairPassages(
  { db, passages }: { db: Db; passages: Passages },
  contentOf: (doc: DocDoc) => Promise<string>,
  forget: (doc: DocDoc) => Promise<void>,
): Promise<void> {
  const left = await db.collection(docRecord.spec).find({ passagesPending: true }, { limit: 100 }).toArray();
  for (const doc of left) {
    if (doc.deletedAt) await forget(doc);
    else await passages.follow(doc, await contentOf(doc));
  }
}
