// Lets front-end kits chat: finds or makes the session behind a kit's chat, and streams replies in the kit's own format.
import type { Chat } from '../../../runtime/chat/chat.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { FileReply, StreamReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { type Access, ownedBy } from '../chat/access.ts';
import { chatParts } from '../chat/chat-parts.ts';
import { type ChatDocuments, type ChatSessionDoc, sessionRecord } from '../chat/documents.ts';
import type { FollowReply } from '../chat/reply-stream.ts';
import { add, newSession, type SessionsDeps } from '../chat/sessions.ts';
import { type FormatName, partsOf, streamIn } from '../formats/format.ts';
import { chatUi } from './contract.ts';
import { type Question, readAgUi, readUi } from './question.ts';

export interface ChatUiDeps extends Pick<ChatDocuments, 'sessions'>, Pick<SessionsDeps, 'sink' | 'acting'> {
  access: Access;
  chat: Pick<Chat, 'start'>;
  follow: FollowReply;
  ids: Ids;
  clock: Clock;
}

interface Opening {
  modelId?: string | null | undefined;
  identityId?: number | null | undefined;
}

export const chatUiService = implement(chatUi, (deps: ChatUiDeps) => {
  const { access, sessions, chat, follow } = deps;

  /** The session that a kit's chat stands for: one of that id, or the one that it has begun itself. */
  const find = async (caller: Caller, name: string): Promise<ChatSessionDoc | null> =>
    /^\d{1,15}$/.test(name)
      ? access.session(caller, Number(name))
      : sessions(caller.tenantId).findOne({ ...ownedBy(caller), clientId: clientIdOf(name) });

  const make = async (caller: Caller, name: string, { modelId, identityId }: Opening): Promise<number> => {
    if (identityId != null) await deps.acting.require(caller, identityId);
    const blank = newSession(caller, await deps.ids.next('chatSessions'), deps.clock.now());
    const chosen = { ...(identityId != null && { identityId }), ...(modelId && { modelId }) };
    return (await add(deps, { ...blank, ...chosen, clientId: clientIdOf(name) })).id;
  };

  /** Undefined where the last message is no reply: then it is answered. */
  const newestReply = async (caller: Caller, session: ChatSessionDoc | null): Promise<number | undefined> => {
    const id = session?.activeMessageId ?? null;
    if (id === null) return undefined;
    const { message } = await access.message(caller, id);
    return message.role === 'assistant' ? id : undefined;
  };

  const reply = async (
    caller: Caller,
    { name, opening = {}, question }: { name: string; opening?: Opening; question: Question },
    { format, runId, signal }: { format: FormatName; runId?: string; signal: AbortSignal },
  ): Promise<StreamReply> => {
    const found = await find(caller, name);
    if (found?.identityId != null) await deps.acting.allow(caller, found.identityId);
    const sessionId = found?._id ?? (await make(caller, name, opening));
    const { modelId } = opening;
    const { regenerateMessageId: again, ...rest } = question;
    const regenerateMessageId = again === 'newest' ? await newestReply(caller, found) : again;
    const { messageId } = await chat.start({
      tenantId: caller.tenantId,
      sessionId,
      ...rest,
      ...(regenerateMessageId !== undefined && { regenerateMessageId }),
      ...(modelId && { modelId }),
    });
    const items = follow({ tenantId: caller.tenantId, sessionId, messageId, lastEventId: null, signal });
    return streamIn(format, partsOf(items, chatParts(runId)), signal);
  };

  return {
    send: ({ caller, body, request: { signal } }) =>
      reply(caller, { name: body.id, opening: body, question: readUi(body) }, { format: 'ui-message-stream', signal }),
    agUi: ({ caller, body, request: { signal } }) =>
      reply(caller, { name: body.threadId, question: readAgUi(body) }, { format: 'ag-ui', runId: body.runId, signal }),
    resume: async ({ caller, params, request: { signal } }) => {
      const found = await find(caller, params.key);
      const session = found && sessionRecord(found);
      if (!session?.generation) return nothing;
      const { tenantId, id: sessionId, generation } = session;
      const items = follow({ tenantId, sessionId, messageId: generation.messageId, lastEventId: null, signal });
      return streamIn('ui-message-stream', partsOf(items, chatParts()), signal);
    },
  };
});

const nothing: FileReply = { kind: 'file', mediaType: 'text/event-stream', body: '', status: 204 };

/** Apart from the names that other clients give to themselves. */
const clientIdOf = (name: string) => `ui:${name}`;
