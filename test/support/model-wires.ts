// How model servers put an answer into server-sent events: Chat Completions, Responses, Anthropic and Google.

export interface FakeToolCall {
  id: string;
  name: string;
  /** Pieces of the arguments as they are sent. */
  arguments: string[];
}

export interface FakeUsage {
  prompt: number;
  completion: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

/** An answer, told once for every wire. */
export interface FakeAnswer {
  reasoning?: string[];
  text?: string[];
  toolCalls?: FakeToolCall[];
  /** Null sends none. */
  usage?: FakeUsage | null;
  finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | null;
  model?: string;
}

export type Wire = 'chat' | 'responses' | 'anthropic' | 'google';

/** The frames of an answer, each a whole `data: …` event. */
export function frames(wire: Wire, answer: FakeAnswer): string[] {
  const { usage = { prompt: 10, completion: 5 } } = answer;
  const finish = answer.finishReason === undefined ? (answer.toolCalls ? 'tool_calls' : 'stop') : answer.finishReason;
  const full = { reasoning: [], text: [], toolCalls: [], model: 'fake-model', ...answer, usage, finish };
  switch (wire) {
    case 'chat':
      return chat(full);
    case 'responses':
      return responses(full);
    case 'anthropic':
      return anthropic(full);
    case 'google':
      return google(full);
  }
}

interface Full {
  reasoning: string[];
  text: string[];
  toolCalls: FakeToolCall[];
  usage: FakeUsage | null;
  finish: string | null;
  model: string;
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string; [field: string]: unknown }) => `event: ${value.type}\n${data(value)}`;

function chat({ reasoning, text, toolCalls, usage, finish, model }: Full): string[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason }],
    });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...reasoning.map((reasoning_content) => chunk({ reasoning_content })),
    ...text.map((content) => chunk({ content })),
    ...toolCalls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...call.arguments.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    ...(finish ? [chunk({}, finish)] : []),
    ...(usage
      ? [
          data({
            id: 'chatcmpl-1',
            object: 'chat.completion.chunk',
            created: 1,
            model,
            choices: [],
            usage: {
              prompt_tokens: usage.prompt,
              completion_tokens: usage.completion,
              total_tokens: usage.prompt + usage.completion,
              prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
              completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            },
          }),
        ]
      : []),
    ...(finish ? ['data: [DONE]\n\n'] : []),
  ];
}

function responses({ reasoning, text, toolCalls, usage, finish, model }: Full): string[] {
  let output_index = 0;
  const out = [named({ type: 'response.created', response: { id: 'resp_1', created_at: 1, model } })];
  const push = (type: string, more: object) => out.push(named({ type, output_index, ...more }));
  if (reasoning.length > 0) {
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: null as string | null, summary: [] };
    push('response.output_item.added', { item });
    push('response.reasoning_summary_part.added', { item_id: 'rs_1', summary_index: 0 });
    for (const delta of reasoning)
      push('response.reasoning_summary_text.delta', { item_id: 'rs_1', summary_index: 0, delta });
    push('response.reasoning_summary_part.done', { item_id: 'rs_1', summary_index: 0 });
    push('response.output_item.done', { item: { ...item, encrypted_content: 'sealed-reasoning' } });
    output_index++;
  }
  if (text.length > 0) {
    push('response.output_item.added', { item: { type: 'message', id: 'msg_1' } });
    for (const delta of text) push('response.output_text.delta', { item_id: 'msg_1', delta });
    push('response.output_item.done', { item: { type: 'message', id: 'msg_1' } });
    output_index++;
  }
  for (const call of toolCalls) {
    const item = { type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name, arguments: '' };
    push('response.output_item.added', { item });
    for (const delta of call.arguments) push('response.function_call_arguments.delta', { item_id: item.id, delta });
    push('response.output_item.done', { item: { ...item, arguments: call.arguments.join(''), status: 'completed' } });
    output_index++;
  }
  if (finish) {
    const tokens = usage ?? { prompt: 0, completion: 0 };
    const response = {
      incomplete_details: finish === 'length' ? { reason: 'max_output_tokens' } : null,
      usage: {
        input_tokens: tokens.prompt,
        input_tokens_details: { cached_tokens: tokens.cacheRead ?? 0 },
        output_tokens: tokens.completion,
        output_tokens_details: { reasoning_tokens: tokens.reasoning ?? 0 },
      },
    };
    out.push(named({ type: finish === 'length' ? 'response.incomplete' : 'response.completed', response }));
  }
  return out;
}

const anthropicStop: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

function anthropic({ reasoning, text, toolCalls, usage, finish, model }: Full): string[] {
  const tokens = usage ?? { prompt: 0, completion: 0 };
  const cached = (tokens.cacheRead ?? 0) + (tokens.cacheWrite ?? 0);
  const input = {
    input_tokens: tokens.prompt - cached,
    cache_read_input_tokens: tokens.cacheRead ?? 0,
    cache_creation_input_tokens: tokens.cacheWrite ?? 0,
  };
  const out: string[] = [];
  const push = (type: string, more: object) => out.push(named({ type, ...more }));
  push('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      usage: { ...input, output_tokens: 1 },
    },
  });
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    push('content_block_start', { index, content_block });
    for (const delta of deltas) push('content_block_delta', { index, delta });
    push('content_block_stop', { index });
    index++;
  };
  if (reasoning.length > 0) {
    const thoughts = reasoning.map((thinking) => ({ type: 'thinking_delta', thinking }));
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...thoughts,
      { type: 'signature_delta', signature: 'signed' },
    ]);
  }
  if (text.length > 0)
    block(
      { type: 'text', text: '' },
      text.map((piece) => ({ type: 'text_delta', text: piece })),
    );
  for (const call of toolCalls) {
    const pieces = call.arguments.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    block({ type: 'tool_use', id: call.id, name: call.name, input: {} }, pieces);
  }
  if (finish) {
    push('message_delta', {
      delta: { stop_reason: anthropicStop[finish], stop_sequence: null },
      usage: { ...input, output_tokens: tokens.completion },
    });
    push('message_stop', {});
  }
  return out;
}

const googleStop: Record<string, string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

function google({ reasoning, text, toolCalls, usage, finish, model }: Full): string[] {
  const part = (value: object, more: object = {}) =>
    data({ candidates: [{ index: 0, content: { role: 'model', parts: [value] }, ...more }], modelVersion: model });
  const tokens = usage ?? { prompt: 0, completion: 0 };
  return [
    ...reasoning.map((piece) => part({ text: piece, thought: true })),
    ...text.map((piece) => part({ text: piece })),
    ...toolCalls.map((call) =>
      part({
        functionCall: { id: call.id, name: call.name, args: JSON.parse(call.arguments.join('')) },
        thoughtSignature: 'signed',
      }),
    ),
    ...(finish
      ? [
          data({
            candidates: [
              { index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: googleStop[finish] },
            ],
            usageMetadata: {
              promptTokenCount: tokens.prompt,
              candidatesTokenCount: tokens.completion - (tokens.reasoning ?? 0),
              thoughtsTokenCount: tokens.reasoning ?? 0,
              cachedContentTokenCount: tokens.cacheRead ?? 0,
              totalTokenCount: tokens.prompt + tokens.completion,
            },
          }),
        ]
      : []),
  ];
}
