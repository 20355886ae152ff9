// What hand-offs tell.
import { type EventTable, event } from '../../contract/event.ts';
import { SessionHandoffDto } from './dto.ts';

const topics = ['identity:*', 'me'];

export const sessionEvents = {
  'handoff.created': event.kept(SessionHandoffDto, topics, 'Work was left for an identity.'),
  'handoff.claimed': event.kept(SessionHandoffDto, topics, 'Work that was left has been taken over.'),
} satisfies EventTable;
