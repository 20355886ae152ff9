// Lets front-end kits chat: finds or makes the session behind a kit's chat, and streams replies in the kit's own format.

import type { Chat } from '../../../runtime/chat/chat.ts';
import { awaitingClient } from '../../../runtime/chat/client-tools.ts';
import type { ChatStore } from '../../../runtime/chat/ports.ts';
import type { ReplyOptions } from '../../../runtime/chat/records.ts';
import type { Engine } from '../../../runtime/engine.ts';
import type { ModelTool } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { FileReply, StreamReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../ports/ids.ts';
import { onceMark } from '../../ports/once.ts';
import { type Access, ownedBy } from '../chat/access.ts';
import { chatParts, type ReplyReading } from '../chat/chat-parts.ts';
import {
  type ChatDocuments,
  type ChatMessageDoc,
  type ChatSessionDoc,
  messageRecord,
  sessionRecord,
} from '../chat/documents.ts';
import { appendMessage } from '../chat/messages.ts';
import type { FollowReply, ReplyItem, ReplyToFollow } from '../chat/reply-stream.ts';
import { add, newSession, type SessionsDeps } from '../chat/sessions.ts';
import { docToMessageDto } from '../chat/to-dto.ts';
import { type FormatName, partsOf, streamIn } from '../formats/format.ts';
import type { Answers, Asked, Question } from './asked.ts';
import { chatUi } from './contract.ts';
import { readAgUi } from './read-ag-ui.ts';
import { readUi } from './read-ui.ts';

export interface ChatUiDeps extends Pick<ChatDocuments, 'sessions'>, Pick<SessionsDeps, 'sink' | 'acting'> {
  access: Access;
  store: ChatStore;
  chat: Pick<Chat, 'start' | 'stop' | 'answered'>;
  engine: Pick<Engine, 'resolveEscalation'>;
  follow: FollowReply;
  ids: Ids;
  clock: Clock;
}

interface Opening {
  modelId?: string | null | undefined;
  identityId?: number | null | undefined;
}

type Reply = Pick<ReplyToFollow, 'tenantId' | 'sessionId' | 'messageId'>;

/** How a kit is answered: in which format, under which names, and until when. */
interface Manner extends Pick<ReplyReading, 'runId' | 'threadId'> {
  format: FormatName;
  signal: AbortSignal;
  /** Whether a reply stops when its client leaves, since such clients cannot come back to it. */
  leavingStops?: boolean;
  /** Key of the chat for `resume`, sent in the header that assistant-ui reads it from. */
  streamId?: string;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const chatUiService = implement(chatUi, (deps: ChatUiDeps) => {
  const { access, sessions, chat, follow } = deps;

  /** The session behind a kit's chat, by its id or by the kit's own name for the chat. */
  const find = async (caller: Caller, name: string): Promise<ChatSessionDoc | null> =>
    /^\d{1,15}$/.test(name)
      ? access.session(caller, Number(name))
      : sessions(caller.tenantId).findOne({ ...ownedBy(caller), clientId: clientIdOf(name) });

  /** Creates a session with the messages that came before. */
  const make = async (caller: Caller, name: string, { modelId, identityId }: Opening, { history }: Asked) => {
    if (identityId != null) await deps.acting.require(caller, identityId);
    const blank = newSession(caller, await deps.ids.next('chat_sessions'), deps.clock.now());
    const chosen = { ...(identityId != null && { identityId }), ...(modelId && { modelId }) };
    const { id } = await add(deps, { ...blank, ...chosen, clientId: clientIdOf(name) });
    let session = sessionRecord(await access.session(caller, id));
    for (const draft of history) ({ session } = await appendMessage(deps, session, draft));
    return id;
  };

  /** Id of the reply that ends the branch; undefined where a message of the user does, which is then answered. */
  const newestReply = async (caller: Caller, session: ChatSessionDoc | null): Promise<number | undefined> => {
    const id = session?.activeMessageId ?? null;
    if (id === null) return undefined;
    const { message } = await access.message(caller, id);
    return message.role === 'assistant' ? id : undefined;
  };

  /** A new message ends the wait for results of the client's own tools. */
  const leaveClientTools = async (caller: Caller, session: ChatSessionDoc): Promise<void> => {
    const { generation } = session;
    if (!generation || generation.owner !== null) return;
    const { message } = await access.message(caller, generation.messageId);
    if (awaitingClient(messageRecord(message)).length > 0) await chat.stop(caller.tenantId, session._id);
  };

  /** The items of a reply from its beginning, until it ends or its client leaves. */
  async function* followed(reply: Reply, { signal, leavingStops = false }: Manner): AsyncGenerator<ReplyItem> {
    try {
      yield* follow({ ...reply, lastEventId: null, signal });
    } finally {
      if (leavingStops && signal.aborted) await stop(reply);
    }
  }

  const stop = async ({ tenantId, sessionId, messageId }: Reply): Promise<void> => {
    const session = await sessions(tenantId).findOne({ _id: sessionId });
    const isGoingOn = session?.generation?.messageId === messageId && session.generation.owner !== null;
    if (isGoingOn) await chat.stop(tenantId, sessionId);
  };

  const begin = async (
    caller: Caller,
    { name, opening, asked }: { name: string; opening: Opening; asked: Asked },
    question: Question,
    manner: Manner,
  ): Promise<StreamReply> => {
    const found = await find(caller, name);
    if (found?.identityId != null) await deps.acting.allow(caller, found.identityId);
    if (found) await leaveClientTools(caller, found);
    const sessionId = found?._id ?? (await make(caller, name, opening, asked));
    // The branch of a session that was made just now ends with its history.
    const { regenerateMessageId: again, parentMessageId, ...rest } = question;
    const follows = found || asked.history.length === 0 ? { parentMessageId } : {};
    const regenerateMessageId = again === 'newest' ? await newestReply(caller, found) : again;
    const options = optionsOf(asked, found?.systemPrompt ?? null, opening);
    const { messageId } = await chat.start({
      tenantId: caller.tenantId,
      sessionId,
      ...rest,
      ...(follows.parentMessageId !== undefined && { parentMessageId: follows.parentMessageId }),
      ...(regenerateMessageId !== undefined && { regenerateMessageId }),
      ...options,
    });
    const items = followed({ tenantId: caller.tenantId, sessionId, messageId }, manner);
    return written(items, manner, { clientTools: namesOf(asked.tools) });
  };

  /** Continues a reply that has waited for these answers, in the same message. */
  const goOn = async (caller: Caller, name: string, answers: Answers, manner: Manner): Promise<StreamReply> => {
    const session = await find(caller, name);
    if (!session?.generation) throw nothingWaits();
    if (session.identityId != null) await deps.acting.allow(caller, session.identityId);
    const { tenantId, _id: sessionId, generation } = session;
    const { message } = await access.message(caller, generation.messageId);
    for (const approval of answers.approvals) await decide(caller, message, approval);
    if (answers.results.length > 0) await chat.answered(tenantId, sessionId, answers.results);
    const items = followed({ tenantId, sessionId, messageId: message._id }, manner);
    const clientTools = namesOf(toolsOf(message.options));
    return written(after(items, message.index), manner, { clientTools, known: docToMessageDto(message) });
  };

  const decide = async (caller: Caller, message: ChatMessageDoc, approval: Answers['approvals'][number]) => {
    const { escalationId, approved, reason } = approval;
    if (!caller.permissions.has('EscalationsResolve'))
      throw new Fault('FORBIDDEN', 'You may not approve tool calls.', {
        hint: 'It needs the permission EscalationsResolve.',
      });
    const call = message.steps.at(-1)?.toolCalls.find((one) => one.escalationId === escalationId);
    if (!call) throw nothingWaits();
    if (call.asked) throw notApproved(escalationId);
    await deps.engine.resolveEscalation(escalationId, {
      // The decision is a word of its own: a reason could read like an approval.
      decision: approved ? 'approve' : 'reject',
      notes: reason,
      by: caller.name,
      mode: 'Human',
      requestRevision: false,
      rememberAsRule: false,
      argumentsJson: null,
      key: onceMark(),
    });
  };

  const reply = (
    caller: Caller,
    { name, opening = {}, asked }: { name: string; opening?: Opening; asked: Asked },
    manner: Manner,
  ): Promise<StreamReply> =>
    asked.question
      ? begin(caller, { name, opening, asked }, asked.question, manner)
      : goOn(caller, name, asked.answers ?? { approvals: [], results: [] }, manner);

  return {
    send: ({ caller, body, query, request: { signal } }) =>
      reply(
        caller,
        { name: body.id, opening: body, asked: readUi(body) },
        { format: uiFormat(query.sdk), signal, streamId: body.id },
      ),
    agUi: ({ caller, body, request: { signal } }) => {
      const { threadId, runId } = body;
      const manner: Manner = { format: 'ag-ui', threadId, runId, signal, leavingStops: true };
      return reply(caller, { name: threadId, asked: readAgUi(body) }, manner);
    },
    resume: async ({ caller, params, query, request: { signal } }) => {
      const found = await find(caller, params.key);
      const session = found && sessionRecord(found);
      if (!session?.generation) return nothing;
      const { tenantId, id: sessionId, generation } = session;
      const { message } = await access.message(caller, generation.messageId);
      const items = follow({ tenantId, sessionId, messageId: generation.messageId, lastEventId: null, signal });
      return written(
        items,
        { format: uiFormat(query.sdk), signal, streamId: params.key },
        { clientTools: namesOf(toolsOf(message.options)) },
      );
    },
  };
});

function written(
  items: AsyncIterable<ReplyItem>,
  manner: Manner,
  reading: Pick<ReplyReading, 'clientTools' | 'known'>,
) {
  const { format, signal, streamId, leavingStops: _, ...names } = manner;
  const headers = streamId === undefined ? {} : { 'x-resumable-stream-id': encodeURIComponent(streamId) };
  return streamIn(format, partsOf(items, chatParts({ ...names, ...reading })), signal, headers);
}

async function* after(items: AsyncIterable<ReplyItem>, index: number): AsyncGenerator<ReplyItem> {
  for await (const item of items) if (item.event.index > index) yield item;
}

/** Options of one reply, besides the session's settings. */
function optionsOf({ system, tools }: Asked, ofSession: string | null, { modelId }: Opening): ReplyOptions {
  const systemPrompt = [ofSession, system].filter(Boolean).join('\n\n');
  return {
    ...(modelId && { modelId }),
    ...(system && { systemPrompt }),
    ...(tools.length > 0 && { clientToolsJson: JSON.stringify(tools) }),
  };
}

const toolsOf = ({ clientToolsJson }: ReplyOptions): ModelTool[] =>
  clientToolsJson === undefined ? [] : (JSON.parse(clientToolsJson) as ModelTool[]);

const namesOf = (tools: readonly ModelTool[]): ReadonlySet<string> => new Set(tools.map(({ name }) => name));

const uiFormat = (sdk: '5' | '6' | undefined): FormatName =>
  sdk === '5' ? 'ui-message-stream-v5' : 'ui-message-stream';

const nothingWaits = () =>
  new Fault('CONFLICT', 'No reply of this chat waits for an answer.', { hint: 'Send a message of the user.' });

const notApproved = (escalationId: number) =>
  new Fault('CONFLICT', 'The tool asks for words, not for an approval.', {
    hint: `Answer with POST /api/agent/escalations/${escalationId}/resolve.`,
  });

const nothing: FileReply = { kind: 'file', mediaType: 'text/event-stream', body: '', status: 204 };

/** The prefix keeps these names apart from client ids of other interfaces. */
const clientIdOf = (name: string) => `ui:${name}`;

/** The session behind a kit's chat: named by its number, or by the kit's own name for it. */
export const sessionNamed = (name: string): { _id: number } | { clientId: string } =>
  /^\d{1,15}$/.test(name) ? { _id: Number(name) } : { clientId: clientIdOf(name) };
