// A reply as its watchers read it: the events of one message on the topic of its session, from a cursor to the end.
import type { ChatStreamEventDto } from './dto.ts';

export interface ReplyItem {
  /** Cursor that continues after this event, `<epoch>.<seq>` of the topic. */
  id: string;
  event: ChatStreamEventDto;
}

export interface ReplyToFollow {
  tenantId: number;
  sessionId: number;
  messageId: number;
  /** Start of the reply (ms): where to begin without a cursor. */
  startedAt: number;
  lastEventId: string | null;
  signal: AbortSignal;
}

/** Follows one reply to its Completed or Error. Formats (SSE frames, AI SDK, AG-UI) are made of these items. */
export type FollowReply = (reply: ReplyToFollow) => AsyncIterable<ReplyItem>;
