// Writes an answer as Anthropic's Messages: the events of a stream, and the whole message that they lead to.
import { randomUUID } from 'node:crypto';
import type { FinishReason, ModelEvent, ModelUsage } from '../../../runtime/model.ts';
import type { AnthropicMessage } from './dto.ts';

export interface MessageEvent {
  type: string;
  [field: string]: unknown;
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

const reasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  other: 'end_turn',
};

const toUsage = ({ promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens }: ModelUsage) => ({
  input_tokens: Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens),
  output_tokens: completionTokens,
  cache_read_input_tokens: cacheReadTokens,
  cache_creation_input_tokens: cacheWriteTokens,
});

/** The writer of one message. `write` gives the events that follow, in order; `message` is what there is so far. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one answer is written from start to end, and its parts share what is open.
export function messageWriter(model: string) {
  const content: Block[] = [];
  const message: AnthropicMessage = {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
  /** Blocks that are being written, by what they are: a tool call by its id, whose pieces may come side by side. */
  const open = new Map<string, number>();

  const begin = (key: string, block: Block): MessageEvent[] => {
    const index = content.push(block) - 1;
    open.set(key, index);
    return [{ type: 'content_block_start', index, content_block: { ...block } }];
  };
  const delta = (key: string, change: object): MessageEvent => ({
    type: 'content_block_delta',
    index: open.get(key),
    delta: change,
  });
  const end = (key: string): MessageEvent[] => {
    const index = open.get(key);
    open.delete(key);
    return index === undefined ? [] : [{ type: 'content_block_stop', index }];
  };
  /** What is said and thought comes one after the other. */
  const endOthers = (key: string) => ['text', 'thinking'].filter((one) => one !== key).flatMap(end);
  const current = (key: string) => content[open.get(key) as number];

  const say = (text: string): MessageEvent[] => {
    const events = endOthers('text');
    if (!open.has('text')) events.push(...begin('text', { type: 'text', text: '' }));
    const block = current('text') as Extract<Block, { type: 'text' }>;
    block.text += text;
    return [...events, delta('text', { type: 'text_delta', text })];
  };

  const think = ({ delta: thinking, signature, redacted }: Extract<ModelEvent, { type: 'reasoning' }>) => {
    if (redacted !== undefined) {
      const events = endOthers('');
      return [...events, ...begin('redacted', { type: 'redacted_thinking', data: redacted }), ...end('redacted')];
    }
    const events = endOthers('thinking');
    if (!open.has('thinking')) events.push(...begin('thinking', { type: 'thinking', thinking: '', signature: '' }));
    const block = current('thinking') as Extract<Block, { type: 'thinking' }>;
    block.thinking += thinking;
    if (thinking) events.push(delta('thinking', { type: 'thinking_delta', thinking }));
    if (signature === undefined) return events;
    block.signature = signature;
    return [...events, delta('thinking', { type: 'signature_delta', signature }), ...end('thinking')];
  };

  const beginCall = (id: string, name: string): MessageEvent[] =>
    open.has(id) ? [] : [...endOthers(''), ...begin(id, { type: 'tool_use', id, name, input: {} })];
  const extendCall = (id: string, partial_json: string) => delta(id, { type: 'input_json_delta', partial_json });

  const finish = ({ reason, usage }: Extract<ModelEvent, { type: 'finish' }>): MessageEvent[] => {
    const events = [...open.keys()].flatMap(end);
    message.stop_reason = reasons[reason];
    message.usage = toUsage(usage);
    const { stop_reason, stop_sequence } = message;
    return [
      ...events,
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: message.usage },
      { type: 'message_stop' },
    ];
  };

  return {
    message,
    write(event: ModelEvent): MessageEvent[] {
      switch (event.type) {
        case 'start':
          message.model = event.modelId;
          return [{ type: 'message_start', message: { ...message, content: [], usage: { ...message.usage } } }];
        case 'text':
          return say(event.delta);
        case 'reasoning':
          return think(event);
        case 'tool-arguments':
          return [...beginCall(event.toolCallId, event.toolName), extendCall(event.toolCallId, event.delta)];
        case 'tool-call': {
          const { id, name, argumentsJson } = event.call;
          const whole = open.has(id) ? [] : [...beginCall(id, name), extendCall(id, argumentsJson)];
          (current(id) as Extract<Block, { type: 'tool_use' }>).input = parsed(argumentsJson);
          return [...whole, ...end(id)];
        }
        case 'finish':
          return finish(event);
        case 'retry':
          return [];
      }
    },
  };
}

/** Arguments that are no JSON are given as the text that they are. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json || '{}');
  } catch {
    return { invalid_json: json };
  }
}
