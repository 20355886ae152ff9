// Events of a reply while it is generated: the payload of `chat.stream` on the topic `chat:{sessionId}`.
//
// A reply is Started, any number of deltas, ToolCall and ToolResult, Usage, and finally Completed or Error; nothing
// follows
// those. `index` counts the events of a message from 0 and continues when the reply does. Neighbouring deltas of one
// type
// may arrive joined, with the index of the last one.
import type { ChatToolCall, ChatUsage, MessageRecord } from './records.ts';

export type ReplyEvent =
  /**
   * `message` is the reply as it stands; deltas append to its content, which is not empty when a reply is continued.
   */
  | { type: 'Started'; message: MessageRecord }
  | { type: 'ReasoningDelta'; delta: string }
  | { type: 'ContentDelta'; delta: string }
  /** A tool call was requested, runs, or awaits an approval: see its status. */
  | { type: 'ToolCall'; toolCall: ChatToolCall }
  | { type: 'ToolResult'; toolCall: ChatToolCall }
  /**
   * The reply waits for a decision or for its client's tools, and no process holds it; it continues in the same
   * message.
   */
  | { type: 'Ping'; message: MessageRecord }
  /** Usage of the reply so far; sent after each model call. */
  | { type: 'Usage'; usage: ChatUsage; message: MessageRecord }
  /** The reply is stored, and the session is free for the next one; its state may be Stopped. */
  | { type: 'Completed'; message: MessageRecord }
  /** The reply failed: its text is stored and can be continued, and the session is free. */
  | { type: 'Error'; message: MessageRecord };
