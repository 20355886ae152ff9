// Chats as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { ownedBy } from './access.ts';
import { chatMessageSpec, chatSessionSpec } from './documents.ts';
import { chatRetention } from './retention.ts';
import { chatSearches } from './searched.ts';

export const chatPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  topics: ({ db }) => {
    const sessions = perTenant(db.collection(chatSessionSpec));
    return {
      // A chat is its owner's alone.
      chat: async (caller, id) => {
        const own = { ...ownedBy(caller), _id: id };
        return (await sessions(caller.tenantId).findOne(own, { projection: { _id: 1 } })) !== null;
      },
    };
  },
  searches: ({ db }) => {
    const sessions = perTenant(db.collection(chatSessionSpec));
    return chatSearches({ sessions, messages: perTenant(db.collection(chatMessageSpec)) });
  },
  retention: chatRetention,
  samples: [],
});
