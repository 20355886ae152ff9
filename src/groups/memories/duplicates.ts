// Likely duplicates among an identity's memories, for people to review: each memory against those that are near to it.
import { differs, sameSaid } from '../../memory/duplicates.ts';
import { readableScopes } from '../../memory/scopes.ts';
import type { Filter } from '../../ports/db.ts';
import { type InProjects, visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { MemoryDuplicates } from './dto.ts';
import type { Library } from './library.ts';
import type { MemoryDoc } from './record.ts';
import { toListDto } from './show.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  library: Pick<Library, 'finder'>;
}

/** Memories that one request compares, those that are near to each, and the text that is asked with. */
const [compared, near, mostCharacters] = [25, 6, 1500];

export function createDuplicates({ memories, library }: Deps) {
  return async (
    by: InProjects & { tenantId: number },
    identityId: number,
    { before, least }: { before?: number | undefined; least: number },
    own: boolean,
  ): Promise<MemoryDuplicates> => {
    const { tenantId } = by;
    const open = {
      ...visibleTo<MemoryDoc>(by),
      ...{ identityId, archivedAt: null, ...(own ? {} : { isShared: true }) },
    } as Filter<MemoryDoc>;
    const of = memories.of(tenantId);
    const after = before === undefined ? {} : { _id: { $lt: before } };
    const some = await of.find({ ...open, ...after }, { sort: { _id: -1 }, limit: compared }).toArray();
    const scopes = readableScopes(own ? identityId : 0, { shared: !own, archived: false });
    const pairs: MemoryDuplicates['pairs'] = [];
    for (const memory of some) {
      const question = `${memory.title} ${memory.content}`.slice(0, mostCharacters);
      const load = async (ids: readonly number[]) =>
        // Each pair once, at its newer memory.
        of.find({ ...open, _id: { $in: ids.filter((id) => id < memory._id) } }).toArray();
      for (const { doc, nearness } of await library.finder.search({ tenantId, scopes, question, limit: near, load })) {
        const alike = Math.max(sameSaid(doc.content, memory.content), nearness ?? 0);
        if (alike < least || differs(doc.content, memory.content) || doc.supersededById === memory._id) continue;
        pairs.push({ memory: toListDto(memory), other: toListDto(doc), alike: Math.min(alike, 1) });
      }
    }
    pairs.sort((a, b) => b.alike - a.alike);
    const last = some.length < compared ? null : (some.at(-1)?._id ?? null);
    return { pairs, compared: some.length, before: last };
  };
}
