// Forgets memories for good, and takes back what a run did to them: links and successors follow.
import type { Finder } from '../../memory/finder.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { GraphBook } from '../graph/book.ts';
import type { LinkDoc, MemoryDoc, MemoryEdit } from './record.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  indexes: Pick<Indexes, 'scrub'>;
  finder: Pick<Finder<MemoryDoc>, 'forget'>;
  graph?: Pick<GraphBook, 'forget'>;
  change(by: By, old: MemoryDoc, fields: Partial<MemoryDoc>): Promise<MemoryDoc>;
}

export function createTakingBack(deps: Deps) {
  const { memories, links } = deps;

  return {
    forget: (by: By, ids: readonly number[]) => forget(deps, by, ids),
    /** Removes the links of memories that are gone. */
    unlink: (by: By, ids: readonly number[]) => unlink(deps, by, ids),
    /** Takes back what a run wrote, changed and linked; a second time finds nothing left. */
    async unlearn(by: By, runId: number) {
      const of = memories.of(by.tenantId);
      const written = await of.find({ sourceRunId: runId }).toArray();
      const forgotten = await forget(
        deps,
        by,
        written.map(({ _id }) => _id),
      );
      const revertedMemoryIds: number[] = [];
      for (const memory of await of.find({ editedByRunIds: runId }).toArray()) {
        await revert(deps, by, memory, runId);
        revertedMemoryIds.push(memory._id);
      }
      const made = await links.of(by.tenantId).find({ sourceRunId: runId }).toArray();
      for (const { _id, before } of made) {
        if (before) await links.change(by, _id, { ...before, before: null, sourceRunId: null });
        else await links.remove(by, _id);
      }
      const gone = made.filter(({ before }) => !before).map(({ _id }) => _id);
      return { ...forgotten, revertedMemoryIds, linkIds: [...forgotten.linkIds, ...gone] };
    },
  };
}

/** Removes memories with their links and what the indexes have of them; what they had superseded counts again. */
async function forget(deps: Deps, by: By, ids: readonly number[]) {
  const { memories, finder, graph, indexes } = deps;
  if (ids.length === 0) return { memoryIds: [], restoredMemoryIds: [], linkIds: [] };
  const before = await unlink(deps, by, ids);
  for (const id of ids) if (await memories.find(by, id)) await memories.remove(by, id);
  // What was linked while they were still there.
  const after = await unlink(deps, by, ids);
  await graph?.forget(by, ids);
  // Last: by their entries the repair finds what a process that died meanwhile has left.
  await finder.forget(by.tenantId, ids);
  await indexes.scrub?.();
  return {
    memoryIds: [...ids],
    restoredMemoryIds: [...new Set([...before.restored, ...after.restored])],
    linkIds: [...before.linkIds, ...after.linkIds],
  };
}

/** Removes the links of memories; what these had superseded counts again. */
async function unlink({ memories, links }: Deps, by: By, ids: readonly number[]) {
  const of = links.of(by.tenantId);
  const [from, to] = await Promise.all([
    of.find({ fromMemoryId: { $in: [...ids] } }).toArray(),
    of.find({ toMemoryId: { $in: [...ids] } }).toArray(),
  ]);
  const superseded = from.filter(({ type }) => type === 'Supersedes').map(({ toMemoryId }) => toMemoryId);
  const restored: number[] = [];
  for (const id of superseded.filter((one) => !ids.includes(one))) {
    const filter = { _id: id, supersededById: { $in: [...ids] } };
    const { matchedCount } = await memories.of(by.tenantId).updateOne(filter, { $set: { supersededById: null } });
    if (matchedCount > 0) restored.push(id);
  }
  const linkIds = [...new Set([...from, ...to].map(({ _id }) => _id))];
  if (linkIds.length > 0) await of.deleteMany({ _id: { $in: linkIds } });
  return { restored, linkIds };
}

/** Gives a memory back the text that it had before a run changed it, unless somebody has written it anew since. */
async function revert({ memories, change }: Deps, by: By, memory: MemoryDoc, runId: number): Promise<void> {
  const edits = memory.edits ?? [];
  const isOwn = ({ runId: other }: MemoryEdit) => other === runId;
  const lastOther = edits.findLastIndex((edit) => !isOwn(edit));
  const first = edits.slice(lastOther + 1).find(isOwn);
  const kept = edits.filter((edit) => !isOwn(edit));
  const rest = { edits: kept, editedByRunIds: [...new Set(kept.flatMap((edit) => edit.runId ?? []))] };
  const { title, content, importance, provenance } = first ?? memory;
  await change(by, memory, { title, content, importance, provenance });
  await memories.change(by, memory._id, ({ sealedBy = null }) => ({ ...rest, sealedBy }), { expecting: ['sealedBy'] });
}
