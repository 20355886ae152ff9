// What memories tell. Identities are followed by many, so events say which memory it is, and never what is in it.
import { type EventTable, event } from '../../contract/event.ts';
import { HebbianLinkDto, MemoryListDto, MemoryWriteDto } from './dto.ts';

const topics = ['identity:*'];

export const memoryEvents = {
  'memory.written': event.kept(MemoryWriteDto, topics, 'A memory was written or changed; its text is left out.'),
  'memory.archived': event.kept(MemoryListDto, topics, 'A memory was archived or brought back; its text is left out.'),
  'memory.linked': event.kept(HebbianLinkDto, topics, 'Two memories were linked, or their link became stronger.'),
} satisfies EventTable;
