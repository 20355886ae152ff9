// A reply as its watchers read it: the events of one message on the topic of its session, from a cursor to the end.
import type { MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import type { StreamFrame } from '../../contract/replies.ts';
import type { FollowedEvent, Follower } from '../../ports/stream.ts';
import type { ChatStreamEventDto } from './dto.ts';
import { parseReplyCursor, replyEventId } from './reply-cursor.ts';
import { chatTopic } from './sink.ts';
import { toStreamDto } from './to-dto.ts';

export interface ReplyItem {
  /** Cursor that continues after this event, see `reply-cursor.ts`. */
  id: string;
  event: ChatStreamEventDto;
}

export interface ReplyToFollow {
  tenantId: number;
  sessionId: number;
  messageId: number;
  /** Null begins with the reply's first event. */
  lastEventId: string | null;
  signal: AbortSignal;
}

/**
 * Follows one reply to its Completed or Error, whether it is being made or has ended. Formats (SSE frames, AI SDK,
 * AG-UI) are made of these items. Where deltas are not kept any more, Started comes (again) with all that was said.
 */
export type FollowReply = (reply: ReplyToFollow) => AsyncIterable<ReplyItem>;

interface Deps {
  follower: Follower;
  /** The reply and its session as they are stored; null when they are gone. */
  load(
    tenantId: number,
    sessionId: number,
    messageId: number,
  ): Promise<{ session: SessionRecord; message: MessageRecord } | null>;
}

export function createReplyFollower({ follower, load }: Deps): FollowReply {
  return async function* follow({ tenantId, sessionId, messageId, lastEventId: given, signal }) {
    const cursor = parseReplyCursor(given);
    // An id of another reply says nothing of this one; one of the chat's topic is a place in its log.
    const lastEventId = cursor ? null : given;
    const known = await load(tenantId, sessionId, messageId);
    if (!known) return;
    const hasEnded = known.message.state !== 'Streaming';
    const events = follower.follow({
      tenantId,
      topic: chatTopic(sessionId),
      lastEventId,
      ...(lastEventId === null && { since: known.message.startedAt }),
      types: ['chat.stream'],
      untilNow: hasEnded,
      signal,
    });
    // Events up to this number are in what the watcher has been given.
    let told = cursor?.messageId === messageId ? cursor.index : -1;
    let begun = lastEventId !== null || told >= 0;
    for await (const followed of events) {
      const event = eventOf(followed, messageId);
      if (event === null) continue;
      if (event !== 'gap' && event.index <= told) {
        // Words of a lost node that nobody saved had numbers, too: the end that another node tells comes below them.
        if (isEnd(event) && (await load(tenantId, sessionId, messageId))?.message.state !== 'Streaming') break;
        continue;
      }
      if (event === 'gap' || isMissing(followed, event, { begun, told })) {
        const now = await load(tenantId, sessionId, messageId);
        if (!now) return;
        if (now.message.state !== 'Streaming') break;
        begun = true;
        if (now.message.index > told) yield itemOf(startedDto(now));
        told = Math.max(told, now.message.index);
      }
      begun = true;
      // What is told late of an earlier part of the reply, such as its interruption, is not of this one.
      if (event === 'gap' || event.index <= told) continue;
      const rest = restOf(followed, event, told);
      told = event.index;
      yield itemOf(rest);
      if (isEnd(event)) return;
    }
    if (signal.aborted) return;
    // The log holds no end of it: the store does.
    const now = await load(tenantId, sessionId, messageId);
    if (!now || now.message.state === 'Streaming') return;
    // A reply may end in the store before its last deltas are in this node's log.
    if (!begun || (told >= 0 && told < now.message.index)) yield itemOf(startedDto(now));
    yield itemOf(endDto(now, told));
  };
}

const itemOf = (event: ChatStreamEventDto): ReplyItem => ({ id: replyEventId(event), event });

/** Number of the first event that is in a followed one: neighbouring deltas come joined, with the last one's number. */
const firstOf = ({ seq, first = seq }: FollowedEvent, { index }: ChatStreamEventDto) => index - (seq - first);

/** Whether something was said before an event that its watcher has not been given and will not get. */
const isMissing = (
  followed: FollowedEvent,
  event: ChatStreamEventDto,
  { begun, told }: { begun: boolean; told: number },
): boolean => event.type !== 'Started' && (!begun || (told >= 0 && firstOf(followed, event) > told + 1));

/** An event without the part that its watcher has already, where a joined delta goes on from there. */
function restOf(followed: FollowedEvent, event: ChatStreamEventDto, told: number): ChatStreamEventDto {
  const first = firstOf(followed, event);
  const from = told >= first ? followed.ends?.[told - first] : undefined;
  return from === undefined || event.delta === null ? event : { ...event, delta: event.delta.slice(from) };
}

/** Null for events of other replies. */
function eventOf({ type, data }: FollowedEvent, messageId: number): ChatStreamEventDto | 'gap' | null {
  if (type === 'stream.gap') return 'gap';
  const event = data as ChatStreamEventDto;
  return event.messageId === messageId ? event : null;
}

const isEnd = ({ type }: ChatStreamEventDto) => type === 'Completed' || type === 'Error';

type Loaded = { session: SessionRecord; message: MessageRecord };

const startedDto = ({ session, message }: Loaded) =>
  toStreamDto(session, { messageId: message.id, index: message.index }, { type: 'Started', message });

/** The end has the number after what was saved, or after what its watcher was told beyond that. */
function endDto({ session, message }: Loaded, told: number) {
  const type = message.state === 'Failed' || message.state === 'Interrupted' ? 'Error' : 'Completed';
  const usual = message.index + 1;
  return toStreamDto(session, { messageId: message.id, index: told > usual ? told + 1 : usual }, { type, message });
}

/** Items as server-sent events: `event` is the type, `id` the cursor. */
export async function* toFrames(items: AsyncIterable<ReplyItem>): AsyncGenerator<StreamFrame> {
  for await (const { id, event } of items) yield { id, event: event.type, data: JSON.stringify(event) };
}
