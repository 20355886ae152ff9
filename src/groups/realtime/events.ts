// What streams tell of themselves, and what concerns one person.
import { type EventTable, event } from '../../contract/event.ts';
import { NotificationDto, StreamGapDto, WebSocketConnectionDto } from './dto.ts';

export const realtimeEvents = {
  'connection.opened': event.passing(WebSocketConnectionDto, ['system'], 'A client has connected.'),
  'connection.closed': event.passing(WebSocketConnectionDto, ['system'], 'A client has gone.'),
  notification: event.kept(NotificationDto, ['me'], 'Something wants a person’s attention.'),
  'stream.gap': event.passing(StreamGapDto, [], 'What lies between can no longer be replayed: load a snapshot.'),
} satisfies EventTable;
