// Who may read and write which memories: those of an identity that the caller may act as, and what others share.
import type { Acting } from '../../auth/acting.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import { visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { MemoryDoc } from './record.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  acting: Acting;
  /** Whether there is such an identity. */
  isThere(tenantId: number, identityId: number): Promise<boolean>;
}

export function createMemoryAccess({ memories, acting, isThere }: Deps) {
  const missing = (id: number) =>
    new Fault('NOT_FOUND', `There is no memory ${id}.`, {
      hint: 'List them with GET /api/identities/{identityId}/memories.',
    });

  return {
    /** Whether the caller may act as the identity, whose memories are then all open. @throws Fault NOT_FOUND */
    async isOwn(caller: Caller, identityId: number): Promise<boolean> {
      if (await acting.may(caller, identityId)) return true;
      if (await isThere(caller.tenantId, identityId)) return false;
      throw noIdentity(identityId);
    },
    /** A memory that the caller may read, and whether it may write it. One that is private to others is not there. */
    async read(caller: Caller, id: number): Promise<{ memory: MemoryDoc; own: boolean }> {
      const memory = await memories.find(caller, id);
      if (!memory) throw missing(id);
      const own = await acting.may(caller, memory.identityId);
      if (!own && !memory.isShared) throw missing(id);
      return { memory, own };
    },
    /** Of some memories those that the caller may read. */
    async readable(caller: Caller, ids: readonly number[]): Promise<MemoryDoc[]> {
      if (ids.length === 0) return [];
      const found = await memories
        .of(caller.tenantId)
        .find({ _id: { $in: [...ids] }, ...visibleTo<MemoryDoc>(caller) })
        .toArray();
      const own = new Map<number, boolean>();
      for (const { identityId, isShared } of found)
        if (!isShared && !own.has(identityId)) own.set(identityId, await acting.may(caller, identityId));
      return found.filter(({ identityId, isShared }) => isShared || own.get(identityId));
    },
    /** @throws Fault NOT_FOUND; OWNERSHIP_REQUIRED for one that is only shared with the caller */
    async write(caller: Caller, id: number): Promise<MemoryDoc> {
      const { memory, own } = await this.read(caller, id);
      if (own) return memory;
      throw new Fault('OWNERSHIP_REQUIRED', `Memory ${id} belongs to another identity, which shares it.`, {
        hint: 'Write a memory of your own, and link it to this one.',
      });
    },
  };
}
export type MemoryAccess = ReturnType<typeof createMemoryAccess>;
