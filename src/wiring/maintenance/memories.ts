// What becomes of memories that nobody uses: they count for less, and are archived, as their identities say.

import { authCollections } from '../../auth/collections.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { settingOf } from '../../groups/identities/settings.ts';
import type { Outcome, Task, TaskContext } from '../../groups/maintenance/tasks.ts';
import type { MemoryDoc } from '../../groups/memories/record.ts';
import { shelfOf } from '../../groups/memories/shelf.ts';
import type { PartBase } from '../../groups/part.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';

const dayMs = 86_400_000;
const pageSize = 100;

/** What one kind of work does with the memories of an identity; null where the identity does not want it. */
interface Aging {
  /** Days without use, and the memories that it is about. */
  days: number;
  within: Filter<MemoryDoc>;
  change(memory: MemoryDoc): Promise<unknown>;
}

export function memoryTasks(base: PartBase): Record<'DecayMemories' | 'ArchiveMemories', Task> {
  const { memories, library, tell } = shelfOf(base);
  const identities: PerTenant<IdentityDoc> = perTenant(authCollections(base.db).identities);

  const decay = (identity: IdentityDoc): Aging | null => {
    const { decayEnabled, decayAfterDays, decayAmount, decayFloor } = settingOf(identity, 'memory');
    if (!decayEnabled || decayAmount <= 0) return null;
    return {
      days: decayAfterDays,
      within: { importance: { $gt: decayFloor } },
      change: ({ _id, tenantId }) =>
        memories.change({ tenantId }, _id, ({ importance }) => ({
          importance: Math.max(decayFloor, importance - decayAmount),
        })),
    };
  };
  const archive = (identity: IdentityDoc): Aging | null => {
    const config = settingOf(identity, 'memory');
    if (!config.autoArchiveEnabled) return null;
    const archivedReason = `Nobody has used it for ${config.archiveAfterDays} days.`;
    return {
      days: config.archiveAfterDays,
      within: { importance: { $lte: config.archiveImportanceThreshold } },
      change: async (memory) => {
        const archivedAt = new Date(base.clock.now());
        await tell.archived(
          await library.change({ tenantId: memory.tenantId }, memory, { archivedAt, archivedReason }),
        );
      },
    };
  };

  const age = async (context: TaskContext, agingOf: (identity: IdentityDoc) => Aging | null): Promise<Outcome> => {
    let [looked, changed] = [0, 0];
    for (const tenantId of context.tenants)
      for (const identity of await ofTenant(identities, tenantId, context.identityId)) {
        const aging = agingOf(identity);
        if (!aging) continue;
        const before = base.clock.now() - (context.olderThanDays ?? aging.days) * dayMs;
        const own = { identityId: identity._id, archivedAt: null, isPinned: false, ...aging.within };
        for (let after = 0; ; ) {
          const page = await memories
            .of(tenantId)
            .find({ ...own, _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
            .toArray();
          const old = page.filter((memory) => usedAt(memory) < before);
          // One that somebody deletes meanwhile needs nothing more.
          for (const memory of context.dryRun ? [] : old) await aging.change(memory).catch(unlessGone);
          looked += page.length;
          changed += old.length;
          await context.step(looked);
          if (page.length < pageSize) break;
          after = page.at(-1)?._id ?? after;
        }
      }
    return { processed: changed, result: { looked, changed } };
  };
  const takes = ['dryRun', 'olderThanDays', 'identityId'] as const;
  return {
    DecayMemories: { scope: 'tenant', takes, work: (context) => age(context, decay) },
    ArchiveMemories: { scope: 'tenant', takes, work: (context) => age(context, archive) },
  };
}

/** When it was used or changed last. A step of decay is a change, so that the next one waits as long again. */
const usedAt = (memory: MemoryDoc) =>
  Math.max(memory.createdAt.getTime(), memory.updatedAt?.getTime() ?? 0, memory.lastAccessedAt?.getTime() ?? 0);

const ofTenant = (identities: PerTenant<IdentityDoc>, tenantId: number, identityId: number | null) =>
  identities(tenantId)
    .find({ deletedAt: null, ...(identityId !== null && { _id: identityId }) })
    .toArray();

const unlessGone = (error: unknown) => {
  if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error;
};
