// Turns what the playground was given into a model request.
import { randomUUID } from 'node:crypto';
import {
  anyModel,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
} from '../../../../runtime/model.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import { spenderOf } from '../../spender.ts';
import type { PlaygroundPrompt } from './contract.ts';

type Message = PlaygroundPrompt['messages'][number];

/** The request of one prompt. @throws Fault VALIDATION_FAILED for tools and tool calls of no known shape */
export function toRequest(prompt: PlaygroundPrompt, caller: Caller, signal: AbortSignal): ModelRequest {
  const { systemPrompt, messages, tools, temperature, maxOutputTokens, reasoningEffort } = prompt;
  return {
    modelId: modelOf(prompt),
    messages: [...(systemPrompt ? [{ role: 'system' as const, content: systemPrompt }] : []), ...toMessages(messages)],
    purpose: 'Playground',
    signal,
    ...(tools?.length && { tools: tools.map(toTool) }),
    ...(temperature != null && { temperature }),
    ...(maxOutputTokens != null && { maxOutputTokens }),
    ...(reasoningEffort && { reasoningEffort }),
    ...spenderOf(caller),
  };
}

/** The model id of a request that names a model, a route, or neither. */
export function modelOf({ modelId, routeId }: Pick<PlaygroundPrompt, 'modelId' | 'routeId'>): string {
  if (modelId && routeId != null) {
    throw new Fault('VALIDATION_FAILED', 'Both a model and a route are named.', { hint: 'Give modelId or routeId.' });
  }
  return routeId == null ? (modelId ?? anyModel) : `route:${routeId}`;
}

function toMessages(messages: Message[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'assistant': {
        const toolCalls = (message.toolCalls ?? []).map(toToolCall);
        for (const { id, name } of toolCalls) names.set(id, name);
        return { role: 'assistant', content: message.content, ...(toolCalls.length > 0 && { toolCalls }) };
      }
      case 'tool': {
        const toolCallId = message.toolCallId ?? '';
        return { role: 'tool', toolCallId, toolName: names.get(toolCallId) ?? 'tool', content: message.content };
      }
      default:
        return { role: message.role, content: message.content };
    }
  });
}

type Json = Record<string, unknown>;
const inner = (value: Json): Json =>
  typeof value.function === 'object' && value.function !== null ? (value.function as Json) : value;

/** `{id, name, argumentsJson}`, or as OpenAI writes it. */
function toToolCall(value: Json): ModelToolCall {
  const { name, argumentsJson, arguments: written } = inner(value);
  if (typeof name !== 'string') throw wrong('a tool call');
  const json = argumentsJson ?? written ?? '{}';
  return {
    id: typeof value.id === 'string' ? value.id : randomUUID(),
    name,
    argumentsJson: typeof json === 'string' ? json : JSON.stringify(json),
  };
}

/** `{name, description, inputSchema}`, or as OpenAI writes it. */
function toTool(value: Json): ModelTool {
  const { name, description, inputSchema, parameters } = inner(value);
  const schema = inputSchema ?? parameters ?? { type: 'object', properties: {} };
  if (typeof name !== 'string' || typeof schema !== 'object' || schema === null) throw wrong('a tool');
  return { name, description: typeof description === 'string' ? description : '', inputSchema: schema as Json };
}

const wrong = (what: string) =>
  new Fault('VALIDATION_FAILED', `The shape of ${what} is not known.`, {
    hint: 'Write tools as {name, description, inputSchema} and tool calls as {id, name, argumentsJson}.',
  });
