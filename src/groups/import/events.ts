// What imports tell.
import { type EventTable, event } from '../../contract/event.ts';
import { ImportDto } from './dto.ts';

export const importEvents = {
  'import.updated': event.kept(
    ImportDto,
    ['import:*', 'me'],
    'An import has come further, was committed or has failed.',
  ),
} satisfies EventTable;
