// Conversations of visitors: chats that belong to nobody, held by who has their signed name.

import { branchOf } from '../../../runtime/chat/branch.ts';
import type { ChatSink } from '../../../runtime/chat/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Signer } from '../../kernel/signer.ts';
import { renderMarkdown } from '../../markdown/render.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ChatDocuments, ChatSessionDoc } from '../chat/documents.ts';
import { add, newSession } from '../chat/sessions.ts';
import { visitorClient } from './book.ts';
import type { PublicBotMessageDto } from './dto.ts';
import type { BotProfileDoc } from './record.ts';

export interface ConversationDeps extends Pick<ChatDocuments, 'sessions' | 'messages'> {
  sink: ChatSink;
  signer: Signer;
  ids: Ids;
  clock: Clock;
}

const purpose = 'conversations of visitors';
/** Messages after which a visitor begins a new one. */
const mostMessages = 200;

export function createConversations(deps: ConversationDeps) {
  const { sessions, messages, signer, ids, clock } = deps;
  const signed = ({ tenantId, _id }: BotProfileDoc, sessionId: number) => `${tenantId} ${_id} ${sessionId}`;

  /** @throws Fault NOT_FOUND for a name that was not given for this bot, and for a conversation that is gone */
  const open = async (bot: BotProfileDoc, name: string): Promise<ChatSessionDoc> => {
    const [, digits = '', signature] = /^(\d{1,15})\.([\w-]+)$/.exec(name) ?? [];
    const sessionId = Number(digits);
    const known = digits !== '' && signer.verify(purpose, signed(bot, sessionId), signature);
    const { tenantId, identityId } = bot;
    const nobodys = { identityId, clientId: visitorClient, stranger: true, userId: null, ownerIdentityId: null };
    const found = known && (await sessions(tenantId).findOne({ _id: sessionId, deletedAt: null, ...nobodys }));
    if (found) return found;
    throw new Fault('NOT_FOUND', 'There is no such conversation.', { hint: 'Begin a new one: leave it out.' });
  };

  return {
    nameOf: (bot: BotProfileDoc, sessionId: number) => `${sessionId}.${signer.sign(purpose, signed(bot, sessionId))}`,
    /** A conversation to go on with, or a new one. */
    async take(bot: BotProfileDoc, name: string | null): Promise<number> {
      if (name !== null) {
        const { _id, messageCount } = await open(bot, name);
        if (messageCount < mostMessages) return _id;
        throw new Fault('CONFLICT', 'This conversation is long enough.', { hint: 'Begin a new one.' });
      }
      const { tenantId, identityId, displayName } = bot;
      const nobody = { tenantId, userId: null, identityId: null };
      const id = await ids.next('chat_sessions');
      await add(deps, {
        ...newSession(nobody, id, clock.now()),
        ...{ identityId, clientId: visitorClient, stranger: true, hydrate: false },
        // One that is given spares the call that would make one up.
        ...{ title: `A visitor of ${displayName}`, titled: true },
      });
      return id;
    },
    async read(bot: BotProfileDoc, name: string): Promise<PublicBotMessageDto[]> {
      const { tenantId, _id: sessionId, activeMessageId } = await open(bot, name);
      const all = await messages(tenantId)
        .find({ sessionId }, { sort: { _id: 1 } })
        .toArray();
      const branch = branchOf(
        all.map((one) => ({ ...one, id: one._id })),
        activeMessageId,
      );
      return branch.flatMap(({ role, content, createdAt }) => {
        if ((role !== 'user' && role !== 'assistant') || content === '') return [];
        const html = role === 'assistant' ? renderMarkdown(content) : null;
        return [{ role, text: content, html, atUtc: new Date(createdAt).toISOString() }];
      });
    },
  };
}
