// What facts tell.
import { type EventTable, event } from '../../contract/event.ts';
import { FactDto } from './dto.ts';

export const factEvents = {
  'fact.written': event.kept(FactDto, ['project:*'], 'A fact was written, corrected or taken back.'),
} satisfies EventTable;
