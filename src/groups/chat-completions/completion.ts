// Writes an answer as a chat completion: whole, or in chunks as they come.
import { randomUUID } from 'node:crypto';
import type { FinishReason, ModelEvent, ModelToolCall, ModelUsage } from '../../../runtime/model.ts';
import type { OpenAIChatCompletion, OpenAIUsage } from './dto.ts';

type Finish = Extract<ModelEvent, { type: 'finish' }>;

const reasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  other: 'stop',
};

const reasonOf = ({ reason }: Pick<Finish, 'reason'>, asFunction: boolean) =>
  asFunction && reason === 'tool-calls' ? 'function_call' : reasons[reason];

export function toUsage(usage: ModelUsage): OpenAIUsage {
  const { promptTokens, completionTokens, cacheReadTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** The whole answer. `created` in seconds since 1970. */
export async function collectCompletion(
  events: AsyncIterable<ModelEvent>,
  created: number,
  asFunction = false,
): Promise<OpenAIChatCompletion> {
  let content = '';
  let refusal = '';
  let reasoning = '';
  const calls: ModelToolCall[] = [];
  let finish: Finish | null = null;
  for await (const event of events) {
    if (event.type === 'text' && event.refusal) refusal += event.delta;
    else if (event.type === 'text') content += event.delta;
    else if (event.type === 'reasoning') reasoning += event.delta;
    else if (event.type === 'tool-call') calls.push(event.call);
    else if (event.type === 'finish') finish = event;
  }
  if (!finish) throw new Error('an answer had no finish');
  return {
    id: newId(),
    object: 'chat.completion',
    created,
    model: finish.modelId,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && (calls.length > 0 || refusal) ? null : content,
          refusal: refusal || null,
          ...(reasoning && { reasoning_content: reasoning }),
          ...(asFunction && calls[0] && { function_call: { name: calls[0].name, arguments: calls[0].argumentsJson } }),
          ...(!asFunction &&
            calls.length > 0 && {
              tool_calls: calls.map(({ id, name, argumentsJson }) => ({
                id,
                type: 'function',
                function: { name, arguments: argumentsJson },
              })),
            }),
        },
        finish_reason: reasonOf(finish, asFunction),
        logprobs: null,
      },
    ],
    usage: toUsage(finish.usage),
    system_fingerprint: null,
    service_tier: null,
  };
}

const newId = () => `chatcmpl-${randomUUID().replaceAll('-', '')}`;

/**
 * Writes the chunks of one answer: each event becomes the JSON texts of zero or more chunks. The sender ends with
 * `[DONE]`. `created` in seconds since 1970.
 */
export function chunkWriter(
  created: number,
  { includeUsage, asFunction = false }: { includeUsage: boolean; asFunction?: boolean },
) {
  const id = newId();
  /** What comes before and after the delta is the same for every chunk of a stream; most of a token's cost is here. */
  let head = '';
  const tail = `,"logprobs":null,"finish_reason":null}]${includeUsage ? ',"usage":null' : ''}}`;
  const begin = (model: string) => {
    head = `{"id":"${id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)},"choices":[`;
  };
  const chunk = (delta: string) => `${head}{"index":0,"delta":${delta}${tail}`;
  const indexes = new Map<string, number>();

  const openCall = (callId: string, name: string): string[] => {
    if (indexes.has(callId)) return [];
    const index = indexes.size;
    indexes.set(callId, index);
    if (asFunction) return [chunk(JSON.stringify({ function_call: { name, arguments: '' } }))];
    const call = { index, id: callId, type: 'function', function: { name, arguments: '' } };
    return [chunk(JSON.stringify({ tool_calls: [call] }))];
  };
  const extendCall = (callId: string, written: string) =>
    asFunction
      ? chunk(JSON.stringify({ function_call: { arguments: written } }))
      : chunk(`{"tool_calls":[{"index":${indexes.get(callId)},"function":{"arguments":${JSON.stringify(written)}}}]}`);

  const end = ({ reason, usage }: Finish): string[] => [
    `${head}{"index":0,"delta":{},"logprobs":null,"finish_reason":"${reasonOf({ reason }, asFunction)}"}]${includeUsage ? ',"usage":null' : ''}}`,
    ...(includeUsage ? [`${head}],"usage":${JSON.stringify(toUsage(usage))}}`] : []),
  ];

  return (event: ModelEvent): string[] => {
    switch (event.type) {
      case 'start':
        begin(event.modelId);
        return [chunk('{"role":"assistant","content":""}')];
      case 'text':
        return [chunk(`{"${event.refusal ? 'refusal' : 'content'}":${JSON.stringify(event.delta)}}`)];
      case 'reasoning':
        return event.delta ? [chunk(`{"reasoning_content":${JSON.stringify(event.delta)}}`)] : [];
      case 'tool-arguments':
        return [...openCall(event.toolCallId, event.toolName), extendCall(event.toolCallId, event.delta)];
      case 'tool-call': {
        const { id: callId, name, argumentsJson } = event.call;
        // Some providers send calls whole.
        const opening = openCall(callId, name);
        return opening.length > 0 ? [...opening, extendCall(callId, argumentsJson)] : [];
      }
      case 'finish':
        return end(event);
      case 'retry':
        return [];
    }
  };
}
