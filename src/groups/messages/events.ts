// What inboxes tell.
import { type EventTable, event } from '../../contract/event.ts';
import { InboxMessageDto, MessageDto, MessageReadResult, UnreadCountDto } from './dto.ts';

export const messageEvents = {
  'message.received': event.kept(InboxMessageDto, ['inbox:*', 'me'], 'A message has reached an inbox.'),
  'message.sent': event.kept(MessageDto, ['inbox:*'], 'The owner of an inbox has sent a message.'),
  'message.read': event.kept(MessageReadResult, ['inbox:*'], 'Messages of an inbox were read.'),
  'inbox.count': event.passing(UnreadCountDto, ['inbox:*', 'me'], 'How many messages are unread.'),
} satisfies EventTable;
