// What personal memories tell: the person alone hears it.
import { type EventTable, event } from '../../contract/event.ts';
import { PersonalMemorySuggestionDto } from './dto.ts';

export const personalMemoryEvents = {
  'suggestion.created': event.kept(
    PersonalMemorySuggestionDto,
    ['me'],
    'A chat proposes to remember something of the person; its text is left out.',
  ),
} satisfies EventTable;
