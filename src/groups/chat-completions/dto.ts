// What OpenAI's interface answers: models, completions, responses and embeddings, as JSON without an envelope.
import { z } from 'zod';
import { boolean, double, dto, int32, int64, jsonObject, string } from '../../contract/types.ts';

export const OpenAIModel = dto('OpenAIModel', { id: string, object: string, created: int64, owned_by: string });
export type OpenAIModel = z.output<typeof OpenAIModel>;

export const OpenAIModelList = dto('OpenAIModelList', { object: string, data: z.array(OpenAIModel) });

const OpenAIFunctionCall = dto('OpenAIFunctionCall', { name: string, arguments: string });

const OpenAIToolCall = dto('OpenAIToolCall', {
  id: string,
  type: string,
  /** In streamed pieces only. */
  index: int32.nullable().optional(),
  function: OpenAIFunctionCall,
});

export const OpenAIChatMessage = dto('OpenAIChatMessage', {
  role: string,
  content: z.unknown().nullable(),
  name: string.nullable().optional(),
  refusal: string.nullable().optional(),
  /** Instead of tool_calls, where the call had functions. */
  function_call: OpenAIFunctionCall.nullable().optional(),
  reasoning_content: string.nullable().optional(),
  /** Absent when there are none, as OpenAI does it: some clients take an empty list for calls. */
  tool_calls: z.array(OpenAIToolCall).nullable().optional(),
  tool_call_id: string.nullable().optional(),
});

export const OpenAIUsage = dto('OpenAIUsage', {
  prompt_tokens: int32,
  completion_tokens: int32,
  total_tokens: int32,
  prompt_tokens_details: jsonObject.nullable(),
  completion_tokens_details: jsonObject.nullable(),
});
export type OpenAIUsage = z.output<typeof OpenAIUsage>;

const OpenAIChatChoice = dto('OpenAIChatChoice', {
  index: int32,
  message: OpenAIChatMessage,
  finish_reason: string.nullable(),
  logprobs: jsonObject.nullable(),
});

export const OpenAIChatCompletion = dto('OpenAIChatCompletion', {
  id: string,
  object: string,
  created: int64,
  model: string,
  choices: z.array(OpenAIChatChoice),
  usage: OpenAIUsage.nullable(),
  system_fingerprint: string.nullable(),
  service_tier: string.nullable(),
});
export type OpenAIChatCompletion = z.output<typeof OpenAIChatCompletion>;

const OpenAIEmbedding = dto('OpenAIEmbedding', {
  object: string,
  index: int32,
  /** Numbers, or their 32-bit floats as base64. */
  embedding: z.union([z.array(z.number()), string]),
});

export const OpenAIEmbeddingList = dto('OpenAIEmbeddingList', {
  object: string,
  data: z.array(OpenAIEmbedding),
  model: string,
  usage: OpenAIUsage,
});

const OpenAIResponseUsage = dto('OpenAIResponseUsage', {
  input_tokens: int32,
  output_tokens: int32,
  total_tokens: int32,
  input_tokens_details: jsonObject.nullable(),
  output_tokens_details: jsonObject.nullable(),
});

export const OpenAIResponse = dto('OpenAIResponse', {
  id: string,
  object: string,
  created_at: int64,
  completed_at: int64.nullable(),
  status: string,
  model: string,
  output: z.array(z.unknown()),
  instructions: string.nullable(),
  previous_response_id: string.nullable(),
  error: jsonObject.nullable(),
  incomplete_details: jsonObject.nullable(),
  parallel_tool_calls: boolean,
  tool_choice: z.unknown().nullable(),
  tools: z.array(z.unknown()),
  temperature: double.nullable(),
  top_p: double.nullable(),
  max_output_tokens: int32.nullable(),
  store: boolean,
  background: boolean,
  usage: OpenAIResponseUsage.nullable(),
  metadata: jsonObject.nullable(),
});
export type OpenAIResponse = z.output<typeof OpenAIResponse>;

export const OpenAICompletion = dto('OpenAICompletion', {
  id: string,
  object: string,
  created: int64,
  model: string,
  choices: z.array(
    dto('OpenAICompletionChoice', {
      text: string,
      index: int32,
      logprobs: jsonObject.nullable(),
      finish_reason: string.nullable(),
    }),
  ),
  usage: OpenAIUsage.nullable(),
  system_fingerprint: string.nullable(),
});
export type OpenAICompletion = z.output<typeof OpenAICompletion>;

export const AnthropicMessage = dto('AnthropicMessage', {
  id: string,
  type: string,
  role: string,
  model: string,
  content: z.array(z.unknown()),
  stop_reason: string.nullable(),
  stop_sequence: string.nullable(),
  usage: dto('AnthropicUsage', {
    input_tokens: int32,
    output_tokens: int32,
    cache_read_input_tokens: int32,
    cache_creation_input_tokens: int32,
  }),
});
export type AnthropicMessage = z.output<typeof AnthropicMessage>;

export const AnthropicTokenCount = dto('AnthropicTokenCount', { input_tokens: int32 });

export const OpenAIItemList = dto('OpenAIItemList', {
  object: string,
  data: z.array(z.unknown()),
  first_id: string.nullable(),
  last_id: string.nullable(),
  has_more: boolean,
});

export const OpenAIDeleted = dto('OpenAIDeleted', { id: string, object: string, deleted: boolean });
