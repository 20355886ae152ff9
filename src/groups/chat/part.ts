// Chats as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { createMayReadChat } from './access.ts';
import { chatMessageSpec, chatSessionSpec } from './documents.ts';
import { chatRetention } from './retention.ts';
import { chatSearches } from './searched.ts';

export const chatPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  // A chat is its owner's alone.
  topics: ({ db }) => ({ chat: createMayReadChat(db) }),
  searches: ({ db }) => {
    const sessions = perTenant(db.collection(chatSessionSpec));
    return chatSearches({ sessions, messages: perTenant(db.collection(chatMessageSpec)) });
  },
  retention: chatRetention,
  samples: [],
});
