// Tells whoever follows an identity that its memories change, without what is in them.
import type { Publisher } from '../../ports/stream.ts';
import type { LinkDoc, MemoryDoc } from './record.ts';
import { silent, toLinkDto, toListDto, toWriteDto } from './show.ts';

export function createTeller(publisher: Publisher) {
  const topicsOf = ({ identityId }: MemoryDoc) => [`identity:${identityId}`];
  return {
    async written(memory: MemoryDoc) {
      const data = silent(toWriteDto(memory));
      await publisher.publish({ tenantId: memory.tenantId, topics: topicsOf(memory), type: 'memory.written', data });
    },
    async archived(memory: MemoryDoc) {
      const data = silent(toListDto(memory));
      await publisher.publish({ tenantId: memory.tenantId, topics: topicsOf(memory), type: 'memory.archived', data });
    },
    async linked(from: MemoryDoc, link: LinkDoc) {
      const data = toLinkDto(link);
      await publisher.publish({ tenantId: from.tenantId, topics: topicsOf(from), type: 'memory.linked', data });
    },
  };
}
export type Teller = ReturnType<typeof createTeller>;
