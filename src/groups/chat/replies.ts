// Asks models: starts, streams, resumes and stops replies.
import type { Chat, ReplyRequest, StartedReply } from '../../../runtime/chat/chat.ts';
import type { Acting } from '../../auth/acting.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers, RequestInfo } from '../../contract/operation.ts';
import type { StreamReply } from '../../contract/replies.ts';
import { type ErrorCode, errorStatus } from '../../kernel/error-codes.ts';
import { Fault } from '../../kernel/fault.ts';
import { askedDigest } from '../asked-digest.ts';
import { given } from '../fields.ts';
import { formatOf, partsOf, streamIn } from '../formats/format.ts';
import type { Access } from './access.ts';
import { toAttachments } from './attachments.ts';
import { chatParts } from './chat-parts.ts';
import type { chat } from './contract.ts';
import type { ChatDocuments, ChatSessionDoc } from './documents.ts';
import type { ChatStreamEventDto, SessionChatResponse } from './dto.ts';
import { parseReplyCursor, type ReplyCursor } from './reply-cursor.ts';
import { type FollowReply, type ReplyToFollow, toFrames } from './reply-stream.ts';
import { toMessageDto } from './to-dto.ts';

export interface RepliesDeps extends Pick<ChatDocuments, 'messages'> {
  chat: Pick<Chat, 'start' | 'stop'>;
  access: Access;
  acting: Acting;
  follow: FollowReply;
}

type ReplyHandlers = Pick<Handlers<typeof chat>, 'ask' | 'stream' | 'resume' | 'stop'>;
type Asked = Parameters<ReplyHandlers['stream']>[0]['body'];

export function replyHandlers({ chat: engine, access, acting, follow, messages }: RepliesDeps): ReplyHandlers {
  /** The reply that is shown last, else the newest one. */
  const newestReply = async (tenantId: number, { _id: sessionId, activeMessageId }: ChatSessionDoc) => {
    const replies = { sessionId, role: 'assistant' } as const;
    const shown =
      activeMessageId === null ? null : await messages(tenantId).findOne({ ...replies, _id: activeMessageId });
    const found = shown ?? (await messages(tenantId).findOne(replies, { sort: { _id: -1 } }));
    return found?._id ?? null;
  };
  /** The reply that a cursor belongs to; null without a cursor. */
  const repliesTo = async ({ tenantId, _id: sessionId }: ChatSessionDoc, cursor: ReplyCursor | null) => {
    const of = { sessionId, role: 'assistant', _id: cursor?.messageId ?? -1 } as const;
    return cursor && (await messages(tenantId).findOne(of)) ? cursor.messageId : null;
  };
  const start = async (caller: Caller, sessionId: number, body: Asked, request: RequestInfo): Promise<StartedReply> => {
    const { identityId } = await access.session(caller, sessionId);
    if (identityId !== null) await acting.allow(caller, identityId);
    return engine.start(toRequest(caller, sessionId, body, request.header('idempotency-key')));
  };

  /** A reply in our own events from the cursor, or in the format asked for, which has no cursors, from its beginning. */
  const streamOf = (reply: Omit<ReplyToFollow, 'signal'>, request: RequestInfo): StreamReply => {
    const { signal } = request;
    const format = formatOf(request);
    if (format === null) return { kind: 'frames', frames: toFrames(follow({ ...reply, signal })) };
    return streamIn(format, partsOf(follow({ ...reply, lastEventId: null, signal }), chatParts()), signal);
  };

  return {
    ask: async ({ caller, params, body, request }) => {
      const { messageId } = await start(caller, params.sessionId, body, request);
      const place = { tenantId: caller.tenantId, sessionId: params.sessionId, messageId };
      for await (const { event } of follow({ ...place, lastEventId: null, signal: request.signal })) {
        const response = responseOf(event);
        if (response) return response;
      }
      throw new Fault('CLIENT_CLOSED', 'Nobody waits for the reply any more.', {
        hint: `It goes on: follow it with GET /api/chat/sessions/${params.sessionId}/stream.`,
      });
    },
    stream: async ({ caller, params, body, request }) => {
      const { messageId, existed } = await start(caller, params.sessionId, body, request);
      // A cursor belongs to the reply that the key names; a new reply has no earlier events.
      const lastEventId = existed ? (body.lastEventId ?? request.lastEventId) : null;
      const place = { tenantId: caller.tenantId, sessionId: params.sessionId, messageId };
      return streamOf({ ...place, lastEventId }, request);
    },
    resume: async ({ caller, params, query, request }) => {
      const session = await access.session(caller, params.sessionId);
      const lastEventId = query.lastEventId ?? request.lastEventId;
      // With a cursor also the end of a reply that has ended meanwhile.
      const messageId =
        (await repliesTo(session, parseReplyCursor(lastEventId))) ??
        session.generation?.messageId ??
        (lastEventId === null ? null : await newestReply(caller.tenantId, session));
      if (messageId === null) return { kind: 'frames', frames: nothing() };
      const place = { tenantId: caller.tenantId, sessionId: session._id, messageId };
      return streamOf({ ...place, lastEventId }, request);
    },
    stop: async ({ caller, params }) => {
      await access.session(caller, params.sessionId);
      return toMessageDto(await engine.stop(caller.tenantId, params.sessionId));
    },
  };
}

async function* nothing() {}

function toRequest(caller: Caller, sessionId: number, body: Asked, headerKey: string | undefined): ReplyRequest {
  const { message, attachments, parentMessageId, idempotencyKey, lastEventId: _, ...rest } = body;
  if (attachments?.length && message == null)
    throw new Fault('VALIDATION_FAILED', 'Attachments come with a message.', { hint: 'Say what to do with them.' });
  const key = idempotencyKey ?? headerKey;
  return {
    tenantId: caller.tenantId,
    sessionId,
    message: message ?? null,
    ...given(rest),
    ...(attachments && { attachments: toAttachments(attachments) }),
    ...(parentMessageId != null && { parentMessageId: parentMessageId === 0 ? null : parentMessageId }),
    ...(key !== undefined && {
      idempotencyKey: key,
      // A cursor is how the reply is followed.
      askedDigest: askedDigest({ ...body, idempotencyKey: null, lastEventId: null }),
    }),
  };
}

/** The answer that a terminal event holds; null for others. */
function responseOf({
  type,
  usage,
  error,
  errorCode,
  hint,
  toolCall,
  sessionId,
}: ChatStreamEventDto): SessionChatResponse | null {
  if (type === 'Completed') return usage;
  if (type === 'Error')
    throw new Fault(toCode(errorCode), error ?? 'The reply failed.', { hint: hint ?? 'Look at the session.' });
  if (toolCall?.status !== 'AwaitingApproval') return null;
  const { name, asks } = toolCall;
  throw new Fault('CONFLICT', `The reply waits for ${asks === null ? 'the approval of' : 'an answer to'} ${name}.`, {
    hint: `Decide it with POST /api/agent/escalations/${toolCall.escalationId}/resolve, and follow the reply with GET /api/chat/sessions/${sessionId}/stream.`,
  });
}

const toCode = (code: string | null): ErrorCode =>
  code !== null && Object.hasOwn(errorStatus, code) ? (code as ErrorCode) : 'INTERNAL_ERROR';
