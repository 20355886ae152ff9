// Turns the body of a chat completion into a model request.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ModelMessage, ModelRequest, ModelToolCall } from '../../../runtime/model.ts';
import type { ChatCompletionBody } from './contract.ts';
import { readContent, readText, wrong } from './parts.ts';
import { newerTools, readFormat, readTools } from './tools.ts';

/** A model request without caller, model and signal. */
export type Prompt = Omit<ModelRequest, 'tenantId' | 'modelId' | 'purpose' | 'signal'>;

/** @throws Fault VALIDATION_FAILED, with the field, for what cannot be done */
export function readChat(body: ChatCompletionBody): Prompt {
  refuseUnknown(body);
  const stop = [body.stop ?? []].flat().filter(Boolean);
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    messages: readMessages(body.messages),
    ...readTools(newerTools(body)),
    ...readFormat(body.response_format, 'response_format'),
    ...(stop.length > 0 && { stop }),
    ...(maxOutputTokens != null && { maxOutputTokens }),
    ...(body.temperature != null && { temperature: body.temperature }),
    ...(body.top_p != null && { topP: body.top_p }),
    ...(body.frequency_penalty != null && { frequencyPenalty: body.frequency_penalty }),
    ...(body.presence_penalty != null && { presencePenalty: body.presence_penalty }),
    ...(body.seed != null && { seed: body.seed }),
    ...(body.reasoning_effort && { reasoningEffort: body.reasoning_effort }),
    ...(body.prompt_cache_key && { cacheKey: body.prompt_cache_key }),
    asWritten: { wire: 'chat', body: written(body) },
  };
}

/** All but what is chosen here: whom it is for, and how the answer comes. */
function written({ model: _, stream: __, stream_options, ...body }: ChatCompletionBody): Record<string, unknown> {
  return stream_options == null ? body : { ...body, stream_options };
}

function refuseUnknown({ n, logprobs, top_logprobs }: ChatCompletionBody): void {
  if (n != null && n !== 1)
    throw wrong('n', 'one answer a call is all there is.', 'Leave n out, and call several times.');
  if (logprobs || top_logprobs) {
    const field = logprobs ? 'logprobs' : 'top_logprobs';
    throw wrong(field, 'log probabilities are not passed on.', `Leave ${field} out.`);
  }
}

type Message = ChatCompletionBody['messages'][number];

function readMessages(messages: Message[]): ModelMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message, at) => readMessage(message, `messages.${at}`, toolNames));
}

function readMessage(message: Message, field: string, toolNames: Map<string, string>): ModelMessage {
  const place = `${field}.content`;
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: readText(message.content, place) };
    case 'user':
      return { role: 'user', content: readContent(message.content, place) };
    case 'assistant': {
      const toolCalls = (message.tool_calls ?? []).map((call, at) => readCall(call, `${field}.tool_calls.${at}`));
      if (message.function_call != null) toolCalls.push(readFunctionCall(message.function_call, field, toolNames));
      for (const { id, name } of toolCalls) toolNames.set(id, name);
      return {
        role: 'assistant',
        content: readText(message.content ?? message.refusal, place),
        ...(message.reasoning_content && { reasoning: message.reasoning_content }),
        ...(toolCalls.length > 0 && { toolCalls }),
      };
    }
    case 'function': {
      const [toolCallId, toolName] = [...toolNames].findLast(([, name]) => name === message.name) ?? [];
      if (toolCallId && toolName)
        return { role: 'tool', toolCallId, toolName, content: readText(message.content, place) };
      const hint = 'Send the assistant message with its function_call first.';
      throw wrong(`${field}.name`, 'answers no function call before it.', hint);
    }
    case 'tool': {
      const toolCallId = message.tool_call_id ?? '';
      const toolName = toolNames.get(toolCallId);
      if (toolName) return { role: 'tool', toolCallId, toolName, content: readText(message.content, place) };
      const hint = 'Send the assistant message with its tool_calls first.';
      throw wrong(`${field}.tool_call_id`, 'answers no tool call before it.', hint);
    }
  }
}

/** The one call of a message from before `tool_calls`; it has no id of its own. */
function readFunctionCall(called: unknown, field: string, toolNames: Map<string, string>): ModelToolCall {
  return readCall({ id: `call_${toolNames.size}_${randomUUID()}`, function: called }, `${field}.function_call`);
}

const Call = z.looseObject({
  id: z.string().min(1).max(300),
  function: z.looseObject({ name: z.string().min(1).max(200), arguments: z.string() }),
});

function readCall(call: unknown, field: string): ModelToolCall {
  const parsed = Call.safeParse(call);
  if (!parsed.success)
    throw wrong(
      field,
      'is no tool call.',
      'Tool calls are {"id", "type":"function", "function":{"name","arguments"}}.',
    );
  const { id, function: called } = parsed.data;
  return { id, name: called.name, argumentsJson: called.arguments };
}
