// Remembers for a while what providers want back with the results of their tool calls, which OpenAI's interface has no place for.
import type { AsWritten, ModelEvent, ModelRequest } from '../../../runtime/model.ts';
import { createLru } from '../../kernel/lru.ts';

const maxStates = 20_000;
const ttlMs = 3_600_000;

interface Conversation extends Pick<ModelRequest, 'messages'> {
  asWritten?: AsWritten | undefined;
}

/** Signed thoughts are part of the protocol itself in Anthropic's Messages. */
function withoutConversation(written: AsWritten): AsWritten {
  if (written.wire === 'messages') return written;
  const { messages: _, input: __, ...body } = written.body;
  return { ...written, body };
}

export type ToolStates = ReturnType<typeof createToolStates>;

/** Kept by tenant and tool call, in this process: on another node a conversation goes on without these states. */
export function createToolStates() {
  const states = createLru<string, NonNullable<unknown>>(maxStates, { ttl: ttlMs });
  const keyOf = (tenantId: number, callId: string) => `${tenantId}/${callId}`;
  return {
    /** The events as they are, with a note of what the answer's provider wants back. */
    async *noting(tenantId: number, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
      const callIds: string[] = [];
      for await (const event of events) {
        if (event.type === 'tool-call') callIds.push(event.call.id);
        if (event.type === 'finish' && event.providerState != null)
          for (const id of callIds) states.set(keyOf(tenantId, id), event.providerState);
        yield event;
      }
    },
    /** The messages with what is known of the calls in them, which what the client wrote has no words for. */
    recalled: (
      tenantId: number,
      { messages, asWritten }: Conversation,
    ): Pick<ModelRequest, 'messages' | 'asWritten'> => {
      let known = false;
      const recalled = messages.map((message) => {
        if (message.role !== 'assistant' || message.providerState !== undefined) return message;
        const [first] = message.toolCalls ?? [];
        const providerState = first && states.get(keyOf(tenantId, first.id));
        if (providerState === undefined) return message;
        known = true;
        return { ...message, providerState };
      });
      if (!asWritten) return { messages: recalled };
      return { messages: recalled, asWritten: known ? withoutConversation(asWritten) : asWritten };
    },
  };
}
