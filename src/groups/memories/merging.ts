// Merges two memories into one: the first write says both and names the other one; what follows is completed by whoever
// reads that, so that a process that dies meanwhile loses nothing.
import type { LinkType } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Filter } from '../../ports/db.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { Edited } from './change.ts';
import type { LinkDoc, MemoryDoc } from './record.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  clock: Clock;
  connect(by: By, from: number, to: number, type: LinkType, strength: number): Promise<LinkDoc>;
  change(by: By, old: MemoryDoc, fields: Partial<MemoryDoc>, how?: Edited): Promise<MemoryDoc>;
}

/** Links of a memory that its successor takes over at most. */
const mostLinks = 500;
/** From the least to the most trusted: what is merged is as good as its weaker part. */
const trust: readonly MemoryDoc['provenance'][] = [
  'Generated',
  'Reported',
  'Inferred',
  'Derived',
  'Observed',
  'Verified',
];

export type Merged = Partial<Pick<MemoryDoc, 'title' | 'content'>>;

export function createMerging({ memories, links, clock, connect, change }: Deps) {
  /** What the other one is linked with is linked with its successor, unless that has a link of its own. */
  async function inherit(by: By, kept: MemoryDoc, other: MemoryDoc): Promise<void> {
    const of = links.of(by.tenantId);
    const around = (id: number) =>
      of.find({ $or: [{ fromMemoryId: id }, { toMemoryId: id }] } as Filter<LinkDoc>, { limit: mostLinks }).toArray();
    const own = new Set((await around(kept._id)).flatMap((one) => [one.fromMemoryId, one.toMemoryId]));
    for (const { fromMemoryId, toMemoryId, type, strength } of await around(other._id)) {
      const far = fromMemoryId === other._id ? toMemoryId : fromMemoryId;
      if (far === kept._id || own.has(far) || type === 'Supersedes') continue;
      const [from, to] = fromMemoryId === other._id ? [kept._id, far] : [far, kept._id];
      await connect(by, from, to, type, strength);
    }
  }

  /** Does what is left of the merges that a memory names; safe to repeat. */
  async function completeMerges(memory: MemoryDoc): Promise<void> {
    const by = { tenantId: memory.tenantId };
    for (const id of memory.mergingIds ?? []) {
      const other = await memories.find(by, id);
      if (other) {
        await inherit(by, memory, other);
        await connect(by, memory._id, id, 'Supersedes', 1);
        // The successor is found from its first write on: only now the other one may go.
        if (other.archivedAt === null || other.supersededById !== memory._id)
          await change(by, other, {
            supersededById: memory._id,
            archivedAt: other.archivedAt ?? new Date(clock.now()),
            archivedReason: `Merged into “${memory.title}”.`,
          });
      }
      await memories.of(by.tenantId).updateOne({ _id: memory._id }, { $pull: { mergingIds: id } });
    }
  }

  return {
    completeMerges,
    /** The memory that stays; a repeated request finds it merged. */
    async merge(by: By, kept: MemoryDoc, other: MemoryDoc, said: Merged): Promise<MemoryDoc> {
      if (other.supersededById === kept._id && other.archivedAt !== null) return kept;
      const isBegun = kept.mergingIds?.includes(other._id) === true;
      const both = kept.content.includes(other.content) ? kept.content : `${kept.content}\n\n${other.content}`;
      const changed = await change(
        by,
        kept,
        {
          title: said.title ?? kept.title,
          content: said.content ?? both,
          tags: [...new Set([...kept.tags, ...other.tags])],
          importance: Math.max(kept.importance, other.importance),
          isPinned: kept.isPinned || other.isPinned,
          provenance: trust[Math.min(trust.indexOf(kept.provenance), trust.indexOf(other.provenance))] as never,
          ...(!isBegun && { accessCount: kept.accessCount + other.accessCount }),
        },
        { merging: other._id },
      );
      await completeMerges(changed);
      return memories.get(by, kept._id);
    },
  };
}
