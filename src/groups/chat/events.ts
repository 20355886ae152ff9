// The events of chats.
import { type EventTable, event } from '../../contract/event.ts';
import { DeletedDto } from '../realtime/dto.ts';
import { ChatMessageDto, ChatSessionDto, ChatStreamEventDto } from './dto.ts';

export const chatEvents = {
  'chat.session.updated': event.kept(ChatSessionDto, ['chats', 'chat:*'], 'A chat was created or changed.'),
  'chat.session.deleted': event.kept(DeletedDto, ['chats', 'chat:*'], 'A chat was deleted.'),
  'chat.message': event.kept(ChatMessageDto, ['chat:*'], 'A message was added to a chat or changed.'),
  'chat.stream': event.passing(ChatStreamEventDto, ['chat:*'], 'A piece of the reply that is being made.', {
    merge: {
      text: 'delta',
      same: ['type', 'sessionId', 'messageId'],
      only: { field: 'type', values: ['ContentDelta', 'ReasoningDelta'] },
    },
  }),
} satisfies EventTable;
