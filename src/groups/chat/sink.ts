// What happens in chats, published on the topics that their watchers follow.
import type { ChatSink } from '../../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../../runtime/chat/records.ts';
import type { Logger } from '../../kernel/logger.ts';
import { type Publication, type Publisher, personalTopic } from '../../ports/stream.ts';
import { toMessageDto, toSessionDto, toStreamDto } from './to-dto.ts';

export const chatTopic = (sessionId: number) => `chat:${sessionId}`;

/** The topics of a session: its own, and the lists of the one who talks, signed in or by a key of the identity. */
export function sessionTopics({ id, userId, ownerIdentityId }: SessionRecord): string[] {
  return [
    chatTopic(id),
    ...(userId === null ? [] : [personalTopic('chats', { userId })]),
    ...(ownerIdentityId === null ? [] : [personalTopic('chats', { identityId: ownerIdentityId })]),
  ];
}

/** A reply does not depend on its watchers: what cannot be published is logged, and the store has it all the same. */
export function createChatSink({ publisher, log }: { publisher: Publisher; log: Logger }): ChatSink {
  const publish = (publication: Publication): Promise<void> =>
    publisher.publish(publication).catch((error: unknown) => {
      log.warn({ err: error, type: publication.type, topics: publication.topics }, 'a chat event was not published');
    });
  return {
    stream(session, reply, event) {
      const { id, tenantId } = session;
      void publish({
        tenantId,
        topics: [chatTopic(id)],
        type: 'chat.stream',
        data: toStreamDto(session, reply, event),
        fence: { scope: chatTopic(id), token: reply.fence },
      });
    },
    message: (message) =>
      publish({
        tenantId: message.tenantId,
        topics: [chatTopic(message.sessionId)],
        type: 'chat.message',
        data: toMessageDto(message),
      }),
    session: (session) =>
      publish({
        tenantId: session.tenantId,
        topics: sessionTopics(session),
        type: 'chat.session.updated',
        data: toSessionDto(session),
      }),
  };
}
