// Spawn trees over any Db. A tree's document holds the members that changed lately; the others have documents of their
// own, so that a write of a tree of a thousand runs is as small as one of ten.
import type { RunStore } from '../../../runtime/ports.ts';
import { Members, type TreeMember } from '../../../runtime/state/members.ts';
import type { TreeRecord } from '../../../runtime/state/tree.ts';
import type { Collection, Db, Filter, Update } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { onceScope } from '../../ports/once.ts';
import { polled } from '../../ports/polled.ts';
import { deleteInBatches } from '../../ports/retention.ts';
import * as spec from './collections.ts';
import { changedFields, recordOf, tryDecide } from './documents.ts';

/** Members as documents hold them. */
type Stored = Record<string, TreeMember>;

/** A tree as this process last saw or wrote it. */
interface Hot {
  tree: TreeRecord;
  /** Members that its document holds. */
  recent: Stored;
  /** Version up to which the members' own documents are complete. */
  movedAt: number;
}

/** Members in a tree's document: with more of them, the next write moves them out. */
const recentLimit = 32;
/** Trees kept in memory at most; they only spare reads. */
const hotLimit = 1000;

const derived = ['isStopping', 'movedAt'];

/** Trees with compare-and-set. `alone`: this process alone writes them, so that its memory holds the newest state. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createTreeDocuments(db: Db, alone: boolean): RunStore['trees'] {
  const trees = db.collection(spec.trees);
  const members = db.collection(spec.treeMembers);
  const hot = new Map<number, Hot>();

  const keep = (one: Hot): Hot => {
    const known = hot.get(one.tree.id);
    if (known && known.tree.version > one.tree.version) return known;
    hot.delete(one.tree.id);
    hot.set(one.tree.id, one);
    if (hot.size > hotLimit) hot.delete(hot.keys().next().value!);
    return one;
  };

  /** Document with its other members. They are read after it, so that they are newer, never older. */
  const whole = async (document: spec.TreeDocument): Promise<Hot> => {
    const movedAt = document.movedAt ?? 0;
    const { members: recent, version } = document;
    const known = hot.get(document._id);
    if (known && known.tree.version >= version) return known;
    const tree = recordOf<TreeRecord>(document, derived);
    if (movedAt === 0) return keep({ tree: { ...tree, members: Members.of(recent) }, recent, movedAt });
    const others = new Map<number, TreeMember>();
    const since = known?.movedAt ?? -1;
    if (since < movedAt) {
      const filter: Filter<spec.TreeMemberDocument> = { treeId: tree.id, version: { $gt: since } };
      for await (const one of members.find(filter)) others.set(one.runId, one.member);
    }
    for (const [id, member] of Object.entries(recent)) others.set(Number(id), member);
    const all = (known?.tree.members ?? Members.of({})).with(others);
    return keep({ tree: { ...tree, members: all }, recent, movedAt });
  };

  const read = async (id: number): Promise<Hot | null> => {
    const known = alone ? hot.get(id) : undefined;
    if (known) return known;
    const document = await trees.findOne({ _id: id });
    return document && whole(document);
  };

  const write = async (from: Hot, set: Partial<TreeRecord>): Promise<TreeRecord | null> => {
    const { tree: now } = from;
    const next = { ...now, ...set, version: now.version + 1 };
    const changed = next.members.changedSince(now.members);
    const isNew = Object.keys(changed).length > 0;
    const moves = isNew && Object.keys(from.recent).length >= recentLimit;
    const recent = moves ? changed : isNew ? { ...from.recent, ...changed } : from.recent;
    const movedAt = moves ? now.version : from.movedAt;
    const { members: _, ...others } = changedFields(now, next);
    const isStopping = next.stopping.length > 0;
    const fields = { ...others, isStopping, ...(isNew ? { members: recent, movedAt } : {}) };
    const guard: Filter<spec.TreeDocument> = { _id: now.id, version: now.version };
    const change = { $set: fields } as Update<spec.TreeDocument>;
    // Only states that the tree's document has held are moved out, so that they are valid even if this write fails.
    const moved = moves ? memberDocuments(now, from.recent) : [];
    const isMade = db.together
      ? await db.together((writer) => {
          if (!writer.update(spec.trees, guard, change)) return false;
          for (const { _id, ...member } of moved)
            writer.update(spec.treeMembers, { _id }, { $set: member }, { upsert: true });
          return true;
        })
      : await writeApart(moved, () => trees.updateOne(guard, change));
    if (!isMade) return null;
    keep({ tree: next, recent, movedAt });
    return next;
  };

  const writeApart = async (
    moved: readonly spec.TreeMemberDocument[],
    change: () => Promise<{ matchedCount: number }>,
  ): Promise<boolean> => {
    await Promise.all(moved.map((member) => putMember(members, member)));
    return (await change()).matchedCount === 1;
  };

  return {
    async get(id, tenantId) {
      const tree = (await read(id))?.tree ?? null;
      return tenantId === undefined || tree?.tenantId === tenantId ? tree : null;
    },
    async insert(record) {
      const { id, ...fields } = record;
      const recent = Object.fromEntries(record.members);
      const isStopping = record.stopping.length > 0;
      const document = { _id: id, ...fields, members: recent, isStopping, movedAt: 0 } as spec.TreeDocument;
      try {
        await trees.insertOne(document);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return (await read(id))?.tree ?? record;
      }
      // A repeated request gets the tree that its first attempt has stored.
      if (onceScope()) return (await whole(document)).tree;
      return keep({ tree: record, recent, movedAt: 0 }).tree;
    },
    async update(id, decide) {
      const known = hot.get(id);
      if (known) {
        const set = alone ? decide(known.tree) : tryDecide(decide, known.tree);
        if (alone && !set) return null;
        const next = set && (await write(known, set));
        if (next) return next;
      }
      for (;;) {
        const document = await trees.findOne({ _id: id });
        // A tree that the store lost (a MongoDB failover may lose writes) is dropped from memory.
        if (document && (hot.get(id)?.tree.version ?? 0) > document.version) hot.delete(id);
        const now = document && (await whole(document));
        const set = now && decide(now.tree);
        if (!now || !set) return null;
        const next = await write(now, set);
        if (next) return next;
      }
    },
    stopping: polled(trees, async (limit) => {
      const found = await trees.find({ isStopping: true }, { limit }).toArray();
      return Promise.all(found.map(async (document) => (await whole(document)).tree));
    }),
    async removeEmpty(id) {
      if (await db.collection(spec.runs).findOne({ rootRunId: id }, { projection: { _id: 1 } })) return;
      await deleteInBatches(members, { treeId: id });
      await trees.deleteOne({ _id: id });
      hot.delete(id);
    },
  };
}

const memberDocuments = ({ id, version }: TreeRecord, members: Stored): spec.TreeMemberDocument[] =>
  Object.entries(members).map(([runId, member]) => ({
    _id: `${id}:${runId}`,
    treeId: id,
    runId: Number(runId),
    version,
    member: member as TreeMember,
  }));

/** Writes a member's state unless a newer one is stored. */
async function putMember(
  members: Collection<spec.TreeMemberDocument>,
  { _id, ...fields }: spec.TreeMemberDocument,
): Promise<void> {
  try {
    const older = { _id, version: { $lte: fields.version } } as Filter<spec.TreeMemberDocument>;
    await members.updateOne(older, { $set: fields }, { upsert: true });
  } catch (error) {
    // A newer state is stored already.
    if (!isDuplicate(error)) throw error;
  }
}
