// What hints tell.
import { type EventTable, event } from '../../../contract/event.ts';
import { IdentityHintDto } from './dto.ts';

export const hintEvents = {
  'hint.due': event.kept(IdentityHintDto, ['identity:*', 'me'], 'The time of a hint has come.'),
} satisfies EventTable;
