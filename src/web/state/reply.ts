// A reply while it streams, put together from its events.
import type { ChatMessageDto, ChatStreamEventDto, ChatToolCallDto } from '../../client/index.ts';

export interface Reply {
  /** Null until it has begun. */
  message: ChatMessageDto | null;
  text: string;
  reasoning: string;
  tools: ChatToolCallDto[];
  /** Number of the last event taken; earlier ones are repeats. */
  index: number;
}

export const noWords: Reply = { message: null, text: '', reasoning: '', tools: [], index: -1 };

/** The reply as its `Started` event holds it: not empty when an earlier one is continued. */
const begun = (message: ChatMessageDto, index: number): Reply => ({
  message,
  text: message.content,
  reasoning: message.reasoningContent ?? '',
  tools: message.toolCalls ?? [],
  index,
});

function withCall(tools: ChatToolCallDto[], call: ChatToolCallDto): ChatToolCallDto[] {
  const index = tools.findIndex((one) => one.id === call.id);
  return index < 0 ? [...tools, call] : tools.with(index, call);
}

/** The reply with one event taken in; one that was seen already changes nothing. */
export function advance(reply: Reply, event: ChatStreamEventDto): Reply {
  const { type, index, delta, toolCall, message } = event;
  // Of the same reply it holds what events in between have said, which are not kept any more.
  if (type === 'Started' && message && (reply.message?.id !== message.id || index > reply.index))
    return begun(message, index);
  if (index <= reply.index) return reply;
  switch (type) {
    case 'ContentDelta':
      return { ...reply, index, text: reply.text + (delta ?? '') };
    case 'ReasoningDelta':
      return { ...reply, index, reasoning: reply.reasoning + (delta ?? '') };
    case 'ToolCall':
    case 'ToolResult':
      return { ...reply, index, tools: toolCall ? withCall(reply.tools, toolCall) : reply.tools };
    default:
      return { ...reply, index };
  }
}
