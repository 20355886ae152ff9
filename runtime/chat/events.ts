// What a reply says while it is made: the payload of `chat.stream` on the topic `chat:{sessionId}`.
//
// One reply is Started, any number of deltas, ToolCall and ToolResult, Usage, and at last Completed or Error; nothing of
// it follows. `index` grows by one an event of a message, from 0, also when it is continued; neighbouring deltas of one type may arrive joined, with the last one's index.
import type { ChatToolCall, ChatUsage, MessageRecord } from './records.ts';

export type ReplyEvent =
  /** `message` is the reply as it stands; deltas append to its content, which is not empty when a reply is continued. */
  | { type: 'Started'; message: MessageRecord }
  | { type: 'ReasoningDelta'; delta: string }
  | { type: 'ContentDelta'; delta: string }
  /** A tool was asked for, runs, or awaits an approval: see its status. */
  | { type: 'ToolCall'; toolCall: ChatToolCall }
  | { type: 'ToolResult'; toolCall: ChatToolCall }
  /** The reply waits, for a decision or for its client's tools, and no process holds it; it goes on in the same message. */
  | { type: 'Ping'; message: MessageRecord }
  /** Of the reply so far; after each model call. */
  | { type: 'Usage'; usage: ChatUsage; message: MessageRecord }
  /** The reply is stored, and the session is free for the next one; its state may be Stopped. */
  | { type: 'Completed'; message: MessageRecord }
  /** The same after a failure: what was said is kept and can be continued. */
  | { type: 'Error'; message: MessageRecord };
