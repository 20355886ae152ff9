// How the search over everything finds messages: those that the caller's own identity has sent or received.
import type { SearchLeg } from '../../ports/search.ts';
import type { Reads } from './reads.ts';

/** Messages that are looked through, the newest of a mailbox and of what was sent. */
const newest = 1000;

export const messageSearch = (reads: Pick<Reads, 'search'>): SearchLeg => ({
  kind: 'Message',
  needs: 'MessagesRead',
  find: async ({ tenantId, identityId }, { words, mode, limit }) => {
    if (identityId === null || mode === 'Semantic' || words.length === 0) return [];
    const found = await reads.search({ tenantId, identityId }, { q: words.join(' '), limit, among: newest });
    return found.map(({ message }) => ({
      id: message.id,
      guid: message.guid,
      title: `${message.senderName}: ${message.content.replace(/\s+/g, ' ').slice(0, 100).toWellFormed()}`,
      text: message.content,
      url: `/inbox/${message.threadId}`,
      identityId: message.senderId,
      projectId: null,
      tags: [],
      updatedAt: new Date(message.createdAtUtc),
    }));
  },
});
