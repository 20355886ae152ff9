// What documents tell. Projects are followed by all who may read them, so of what only some may see the words are left out.
import { type EventTable, event } from '../../contract/event.ts';
import { DeletedDto } from '../realtime/dto.ts';
import { DocListDto } from './dto.ts';

const topics = ['project:*'];

export const docEvents = {
  'doc.updated': event.kept(DocListDto, topics, 'A document was written, changed or moved.'),
  'doc.published': event.kept(DocListDto, topics, 'A document was published.'),
  'doc.deleted': event.kept(DeletedDto, topics, 'A document was deleted.'),
} satisfies EventTable;
