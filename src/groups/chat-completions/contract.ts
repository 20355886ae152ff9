// OpenAI's interface, for clients that speak it: models, chat completions, responses and embeddings.
import { z } from 'zod';
import { anthropicFailure } from '../../contract/anthropic-failure.ts';
import { openAiFailure } from '../../contract/openai-failure.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, double, fields, int32, int64, jsonObject, openFields, string } from '../../contract/types.ts';
import {
  AnthropicMessage,
  AnthropicTokenCount,
  OpenAIChatCompletion,
  OpenAICompletion,
  OpenAIDeleted,
  OpenAIEmbeddingList,
  OpenAIItemList,
  OpenAIModel,
  OpenAIModelList,
  OpenAIResponse,
} from './dto.ts';

const model = string.trim().min(1).max(300);
const call = {
  needs: 'AiRouterUse',
  reply: 'raw',
  // A repeated call is a new call to its clients: answers are not kept for them.
  idempotent: false,
  timeoutMs: 600_000,
  failure: openAiFailure,
} as const;
/** Images come as base64. */
const promptBytes = 20 << 20;
const temperature = double.min(0).max(2).nullish();
const topP = double.min(0).max(1).nullish();
const penalty = double.min(-2).max(2).nullish();
const maxTokens = int32.min(1).nullish();
const tools = z.array(z.unknown()).max(128).nullish();
const stream = { stream: boolean.nullish(), stream_options: jsonObject.nullish() };
/** Optional fields that are read here; all other fields are passed to providers that know them. */
const besides = {
  service_tier: string.nullish(),
  safety_identifier: string.max(200).nullish(),
  prompt_cache_key: string.max(200).nullish(),
  store: boolean.nullish(),
  user: string.max(500).nullish(),
  metadata: jsonObject.nullish(),
};

/** A message of any client; its role decides how it is read. */
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.unknown().optional(),
  tool_calls: z.array(z.unknown()).max(200).nullish(),
  tool_call_id: string.max(300).nullish(),
  reasoning_content: string.nullish(),
});

export const ChatCompletionBody = openFields({
  model,
  messages: z.array(message).min(1).max(5_000),
  ...stream,
  temperature,
  top_p: topP,
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  n: int32.nullish(),
  stop: z.union([string, z.array(string).max(16)]).nullish(),
  tools,
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: boolean.nullish(),
  functions: z.array(z.unknown()).max(128).nullish(),
  function_call: z.unknown().optional(),
  response_format: jsonObject.nullish(),
  reasoning_effort: string.max(20).nullish(),
  seed: int64.nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  logprobs: boolean.nullish(),
  top_logprobs: int32.nullish(),
  ...besides,
});
export type ChatCompletionBody = z.output<typeof ChatCompletionBody>;

export const EmbeddingsBody = openFields({
  model,
  input: z.unknown(),
  input_type: string.max(50).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: int32.min(1).max(100_000).nullish(),
  user: string.max(500).nullish(),
});
export type EmbeddingsBody = z.output<typeof EmbeddingsBody>;

export const ResponseBody = openFields({
  model,
  input: z.union([string.min(1), z.array(z.unknown()).min(1).max(5_000)]),
  instructions: string.nullish(),
  ...stream,
  previous_response_id: string.max(200).nullish(),
  background: boolean.nullish(),
  tools,
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: boolean.nullish(),
  temperature,
  top_p: topP,
  max_output_tokens: maxTokens,
  reasoning: jsonObject.nullish(),
  text: jsonObject.nullish(),
  truncation: string.nullish(),
  include: z.array(string).max(20).nullish(),
  ...besides,
});
export type ResponseBody = z.output<typeof ResponseBody>;

export const CompletionBody = openFields({
  model,
  prompt: z.unknown(),
  ...stream,
  suffix: string.nullish(),
  temperature,
  top_p: topP,
  max_tokens: maxTokens,
  n: int32.nullish(),
  best_of: int32.nullish(),
  echo: boolean.nullish(),
  logprobs: int32.nullish(),
  stop: z.union([string, z.array(string).max(16)]).nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  seed: int64.nullish(),
});
export type CompletionBody = z.output<typeof CompletionBody>;

export const MessagesBody = openFields({
  model,
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: z.unknown() }))
    .min(1)
    .max(5_000),
  max_tokens: maxTokens,
  system: z.unknown().optional(),
  tools,
  tool_choice: z.unknown().optional(),
  stream: boolean.nullish(),
  stop_sequences: z.array(string).max(16).nullish(),
  temperature,
  top_p: topP,
  thinking: z.unknown().optional(),
  output_config: z.unknown().optional(),
});
export type MessagesBody = z.output<typeof MessagesBody>;

const anthropicCall = { ...call, failure: anthropicFailure, maxBodyBytes: promptBytes, body: MessagesBody } as const;

export const chatCompletionsCompat = group(
  'ChatCompletionsCompat',
  { base: '/v1', doc: "OpenAI's interface, for clients that speak it." },
  {
    models: op.get('/models', {
      doc: "List models, routes, roles and identities in OpenAI's form; each can be the model of a call.",
      needs: 'AiRouterUse',
      reply: 'raw',
      failure: openAiFailure,
      data: OpenAIModelList,
    }),
    model: op.get('/models/{model}', {
      doc: "Get a model, route, role or identity in OpenAI's form, by the name that a call would use.",
      needs: 'AiRouterUse',
      reply: 'raw',
      failure: openAiFailure,
      data: OpenAIModel,
    }),
    chat: op.post('/chat/completions', {
      ...call,
      doc: "Complete a chat, in OpenAI's form; server-sent events where stream is true.",
      maxBodyBytes: promptBytes,
      body: ChatCompletionBody,
      data: OpenAIChatCompletion,
      streams: true,
    }),
    complete: op.post('/completions', {
      ...call,
      doc: "Complete texts, in OpenAI's older form; server-sent events where stream is true.",
      maxBodyBytes: promptBytes,
      body: CompletionBody,
      data: OpenAICompletion,
      streams: true,
    }),
    messages: op.post('/messages', {
      ...anthropicCall,
      doc: "Answer in the form of Anthropic's Messages; server-sent events where stream is true.",
      data: AnthropicMessage,
      streams: true,
    }),
    countTokens: op.post('/messages/count_tokens', {
      ...anthropicCall,
      doc: "Estimate the tokens of a call of Anthropic's Messages.",
      data: AnthropicTokenCount,
    }),
    embeddings: op.post('/embeddings', {
      ...call,
      doc: "Embed texts, in OpenAI's form.",
      maxBodyBytes: 8 << 20,
      body: EmbeddingsBody,
      data: OpenAIEmbeddingList,
    }),
    respond: op.post('/responses', {
      ...call,
      doc: "Answer in OpenAI's Responses form; server-sent events where stream is true.",
      maxBodyBytes: promptBytes,
      body: ResponseBody,
      data: OpenAIResponse,
      streams: true,
    }),
    response: op.get('/responses/{responseId}', {
      doc: 'Get a kept response; with stream or starting_after, the events after that one, to its end.',
      needs: 'AiRouterUse',
      reply: 'raw',
      failure: openAiFailure,
      query: fields({
        stream: boolean.optional(),
        starting_after: int64.min(-1).optional(),
        include: z.array(string).optional(),
        include_obfuscation: boolean.optional(),
      }),
      data: OpenAIResponse,
      streams: true,
    }),
    forget: op.delete('/responses/{responseId}', {
      doc: 'Delete a kept response.',
      needs: 'AiRouterUse',
      reply: 'raw',
      failure: openAiFailure,
      data: OpenAIDeleted,
    }),
    cancel: op.post('/responses/{responseId}/cancel', {
      doc: 'Cancel a response that is made in the background.',
      needs: 'AiRouterUse',
      reply: 'raw',
      idempotent: false,
      failure: openAiFailure,
      data: OpenAIResponse,
    }),
    inputItems: op.get('/responses/{responseId}/input_items', {
      doc: 'List what a response was asked with, newest first.',
      needs: 'AiRouterUse',
      reply: 'raw',
      failure: openAiFailure,
      query: fields({
        limit: int32.min(1).max(100).optional(),
        order: z.enum(['asc', 'desc']).optional(),
        after: string.max(300).optional(),
        include: z.array(string).optional(),
      }),
      data: OpenAIItemList,
    }),
  },
);
