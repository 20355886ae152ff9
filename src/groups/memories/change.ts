// Changes of a memory: with its text change its history, its words in the index, and what is encrypted.
import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Finder } from '../../memory/finder.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { MemoryDoc } from './record.ts';
import type { Sealing } from './sealing.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  clock: Clock;
}

/** By it the same text is remembered once. */
export const memoryDigest = ({ title, content }: Pick<MemoryDoc, 'title' | 'content'>) =>
  createHash('sha256').update(`${title}\n${content}`).digest('base64');
/** Where nothing is encrypted. */
export const unsealed: Sealing = {
  keyOf: async () => null,
  digest: (_tenant, _key, digest) => digest,
  digests: (_tenant, digest) => [digest],
};

/** Fields that the indexes or the graph read: a change of one of them is an intent to index anew. */
const textual = ['title', 'content'] as const;
/** What says how much a memory counts: with its text, what its history shows. */
const judged = ['importance', 'provenance'] as const;
const placing = ['isShared', 'projectId', 'archivedAt'] as const;
/** What is encrypted: all of it is written anew where the key changes. */
const secret = ['title', 'content', 'archivedReason', 'edits', 'tags'] as const;

/** Who changes a memory: a run's changes can be taken back. */
export interface Edited {
  runId?: number | null;
  /** Whether it is stored anew with another key alone. */
  resealing?: boolean;
  /** A memory that is merged into it by this change. */
  merging?: number;
}

/** Changes a memory, and its words in the index where they follow from that. */
export function createChange({ memories, clock }: Deps, sealing: Sealing, finder: Pick<Finder<MemoryDoc>, 'index'>) {
  return async (by: By, old: MemoryDoc, fields: Partial<MemoryDoc>, how: Edited = {}): Promise<MemoryDoc> => {
    const differs = (name: keyof MemoryDoc) => name in fields && String(fields[name]) !== String(old[name]);
    const reworded = textual.some(differs);
    const restated = reworded || judged.some(differs);
    const reindexed = reworded || placing.some(differs) || how.resealing === true || how.merging !== undefined;
    const sealedBy = await sealing.keyOf(by.tenantId, old.identityId);
    const changed = await memories.change(
      by,
      old._id,
      (now) => {
        const isMoved = (now.sealedBy ?? null) !== sealedBy;
        return {
          ...(isMoved && Object.fromEntries(secret.filter((name) => name in now).map((name) => [name, now[name]]))),
          ...fields,
          ...(restated && editOf(now, how.runId ?? null, new Date(clock.now()))),
          ...((reindexed || isMoved) && { pending: true, revision: now.revision + 1 }),
          ...(reworded && { embeddingModel: null }),
          ...((reworded || isMoved) && {
            digest: sealing.digest(by.tenantId, sealedBy, memoryDigest({ ...now, ...fields })),
          }),
          ...(how.merging !== undefined && { mergingIds: [...new Set([...(now.mergingIds ?? []), how.merging])] }),
          sealedBy,
        };
      },
      { expecting: ['revision', 'sealedBy', ...(how.resealing ? (['updatedAt'] as const) : [])] },
    );
    if (reindexed || (old.sealedBy ?? null) !== sealedBy) await finder.index(changed);
    return changed;
  };
}

/** Changes of a memory that are kept. */
const mostEdits = 20;

function editOf(now: MemoryDoc, runId: number | null, at: Date): Pick<MemoryDoc, 'edits' | 'editedByRunIds'> {
  const { title, content, importance, provenance } = now;
  const edits = [...(now.edits ?? []), { runId, at, title, content, importance, provenance }].slice(-mostEdits);
  return { edits, editedByRunIds: [...new Set(edits.flatMap((edit) => edit.runId ?? []))] };
}
