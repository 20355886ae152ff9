// How the search over everything finds chats, and what was said in them: a chat is its owner's alone.
import { holding, isAsked, type SearchLeg, type Sought } from '../../ports/search.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { ownedBy } from './access.ts';
import type { ChatMessageDoc, ChatSessionDoc } from './documents.ts';
import { tagsIn } from './filing.ts';

interface Deps {
  sessions: PerTenant<ChatSessionDoc>;
  messages: PerTenant<ChatMessageDoc>;
}

/** Chats whose messages are looked through, those that were used last, and messages of all of them, the newest. */
const [newestSessions, newestMessages] = [100, 1000];

export const chatSearches = ({ sessions, messages }: Deps): SearchLeg[] => [
  {
    kind: 'ChatSession',
    needs: 'ChatRead',
    find: async (caller, sought) => {
      const places = { projectId: 'projectId', identityId: 'identityId' } as const;
      const how = {
        fields: ['title', 'tagText'] as const,
        within: ownedBy(caller),
        sort: { updatedAt: -1 } as const,
        places,
      };
      return (await holding(sessions(caller.tenantId), how, sought)).map((doc) => ({
        id: doc._id,
        guid: doc.guid,
        title: doc.title,
        text: '',
        url: `/chat/${doc._id}`,
        identityId: doc.identityId,
        projectId: doc.projectId,
        tags: tagsIn(doc.tagText),
        updatedAt: new Date(doc.updatedAt),
      }));
    },
  },
  {
    kind: 'ChatMessage',
    needs: 'ChatRead',
    find: async (caller, sought) => {
      const { tenantId } = caller;
      const own = await sessions(tenantId)
        .find(ownedBy(caller), { sort: { updatedAt: -1 }, limit: newestSessions })
        .toArray();
      const byId = new Map(own.filter((one) => isAsked(sought, one)).map((one) => [one._id, one]));
      const said = await messages(tenantId)
        .find({ sessionId: { $in: [...byId.keys()] } }, { sort: { _id: -1 }, limit: newestMessages })
        .toArray();
      return said
        .filter(({ hidden, role, content }) => !hidden && role !== 'system' && says(content, sought))
        .slice(0, sought.limit)
        .map((doc) => {
          const session = byId.get(doc.sessionId) as ChatSessionDoc;
          return {
            id: doc._id,
            guid: null,
            title: session.title || doc.content.replace(/\s+/g, ' ').slice(0, 100).toWellFormed(),
            text: doc.content,
            url: `/chat/${doc.sessionId}`,
            identityId: session.identityId,
            projectId: session.projectId,
            tags: [],
            updatedAt: new Date(doc.startedAt),
          };
        });
    },
  },
];

function says(content: string, { words, mode }: Sought): boolean {
  const text = content.toLowerCase();
  return mode !== 'Semantic' && words.some((word) => text.includes(word));
}
