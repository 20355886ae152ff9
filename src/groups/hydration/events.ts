// What hydration tells (ours).
import { type EventTable, event } from '../../contract/event.ts';
import { MemoryRecalledDto } from './dto.ts';

export const hydrationEvents = {
  'memory.recalled': event.kept(
    MemoryRecalledDto,
    ['chat:*'],
    'What a reply was told of memories, facts and the like: ids and reasons, no texts (ours). Runs say it as an event of type MemoryRecalled.',
  ),
} satisfies EventTable;
