// Writes an answer in OpenAI's Responses form: the events of a stream, and the whole response that they lead to.
import { randomUUID } from 'node:crypto';
import type { ModelEvent, ModelMessage, ModelToolCall, ModelUsage } from '../../../runtime/model.ts';
import type { OpenAiError } from '../../contract/openai-failure.ts';
import type { ResponseBody } from './contract.ts';
import type { OpenAIResponse } from './dto.ts';

export interface ResponseEvent {
  type: string;
  sequence_number: number;
  [field: string]: unknown;
}

type Output = { id: string; type: string } & Record<string, unknown>;

/** An item that is being written. */
type Open =
  | { kind: 'reasoning'; id: string; index: number; text: string }
  /** A text or a refusal. */
  | { kind: 'message'; id: string; index: number; text: string; refused: boolean }
  | { kind: 'call'; id: string; index: number; callId: string; name: string; text: string };

const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`;

export type ResponseWriter = ReturnType<typeof responseWriter>;

/** The writer of one response. Its methods give the events that follow, in order; `response` is what there is so far. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one answer is written from start to end, and its parts share what is open.
export function responseWriter(body: ResponseBody, now: () => number) {
  const response = blank(body, Math.floor(now() / 1000));
  const open = new Map<string, Open>();
  let sequence = 0;
  let text = '';
  let reasoning = '';
  const calls: ModelToolCall[] = [];
  let providerState: unknown;

  const event = (type: string, fields: object): ResponseEvent => ({ type, sequence_number: sequence++, ...fields });
  const whole = (type: string) => event(type, { response: structuredClone(response) });
  const at = (item: Open) => ({ item_id: item.id, output_index: item.index });

  const begin = (key: string, item: Open): ResponseEvent[] => {
    open.set(key, item);
    response.output[item.index] = outputOf(item, 'in_progress');
    const added = event('response.output_item.added', {
      output_index: item.index,
      item: outputOf(item, 'in_progress'),
    });
    if (item.kind === 'reasoning')
      return [
        added,
        event('response.reasoning_summary_part.added', { ...at(item), summary_index: 0, part: summaryPart('') }),
      ];
    if (item.kind === 'message')
      return [
        added,
        event('response.content_part.added', { ...at(item), content_index: 0, part: contentPart(item.refused, '') }),
      ];
    return [added];
  };

  const end = (key: string): ResponseEvent[] => {
    const item = open.get(key);
    if (!item) return [];
    open.delete(key);
    const done = outputOf(item, 'completed');
    response.output[item.index] = done;
    return [
      ...closing(item, event, at(item)),
      event('response.output_item.done', { output_index: item.index, item: done }),
    ];
  };
  /** Ends what is open, except calls, whose pieces may come side by side, and except `key`. */
  const endOthers = (key: string) => ['reasoning', 'message'].filter((one) => one !== key).flatMap(end);

  const extend = (key: 'reasoning' | 'message', delta: string, refused = false): ResponseEvent[] => {
    const before = open.get(key);
    // A refusal after the beginning of an answer is a message of its own.
    const events = before?.kind === 'message' && before.refused !== refused ? end(key) : endOthers(key);
    if (!open.has(key)) events.push(...begin(key, newItem(key, response.output.length, refused)));
    const item = open.get(key) as Open;
    item.text += delta;
    if (key === 'reasoning') {
      events.push(event('response.reasoning_summary_text.delta', { ...at(item), summary_index: 0, delta }));
    } else if (refused) events.push(event('response.refusal.delta', { ...at(item), content_index: 0, delta }));
    else events.push(event('response.output_text.delta', { ...at(item), content_index: 0, logprobs: [], delta }));
    return events;
  };

  const callNamed = (callId: string, name: string): { events: ResponseEvent[]; item: Open } => {
    const known = open.get(callId);
    if (known) return { events: [], item: known };
    const item: Open = { kind: 'call', id: newId('fc'), index: response.output.length, callId, name, text: '' };
    const events = endOthers(callId);
    // The item is appended before the next one computes its index.
    events.push(...begin(callId, item));
    return { events, item };
  };

  const extendCall = (callId: string, name: string, delta: string): ResponseEvent[] => {
    const { events, item } = callNamed(callId, name);
    item.text += delta;
    return [...events, event('response.function_call_arguments.delta', { ...at(item), delta })];
  };

  const endCall = (call: ModelToolCall): ResponseEvent[] => {
    calls.push(call);
    const { events, item } = callNamed(call.id, call.name);
    item.text = call.argumentsJson;
    return [...events, ...end(call.id)];
  };

  const finish = ({ reason, usage, ...rest }: Extract<ModelEvent, { type: 'finish' }>): ResponseEvent[] => {
    const events = [...open.keys()].flatMap(end);
    providerState = rest.providerState;
    const cut = reason === 'length' ? 'max_output_tokens' : reason === 'content-filter' ? 'content_filter' : null;
    Object.assign(response, {
      status: cut ? 'incomplete' : 'completed',
      completed_at: cut ? null : Math.floor(now() / 1000),
      incomplete_details: cut && { reason: cut },
      usage: toResponseUsage(usage),
    });
    return [...events, whole(cut ? 'response.incomplete' : 'response.completed')];
  };

  return {
    response,
    begin(): ResponseEvent[] {
      return [whole('response.created'), whole('response.in_progress')];
    },
    write(heard: ModelEvent): ResponseEvent[] {
      switch (heard.type) {
        case 'start':
          response.model = heard.modelId;
          return [];
        case 'text':
          text += heard.delta;
          return extend('message', heard.delta, heard.refusal);
        case 'reasoning':
          reasoning += heard.delta;
          return heard.delta ? extend('reasoning', heard.delta) : [];
        case 'tool-arguments':
          return extendCall(heard.toolCallId, heard.toolName, heard.delta);
        case 'tool-call':
          return endCall(heard.call);
        case 'finish':
          return finish(heard);
        case 'retry':
          return [];
      }
    },
    cancel(): ResponseEvent[] {
      response.status = 'cancelled';
      return [whole('response.cancelled')];
    },
    /** Number of the last event. */
    lastSequence: () => sequence - 1,
    fail({ code, message }: OpenAiError): ResponseEvent[] {
      Object.assign(response, { status: 'failed', error: { code, message } });
      return [whole('response.failed')];
    },
    /** The answer as a message of the conversation. */
    message: (): ModelMessage => ({
      role: 'assistant',
      content: text,
      ...(reasoning && { reasoning }),
      ...(calls.length > 0 && { toolCalls: calls }),
      ...(providerState !== undefined && { providerState }),
    }),
  };
}

function blank(body: ResponseBody, createdAt: number): OpenAIResponse {
  return {
    id: newId('resp'),
    object: 'response',
    created_at: createdAt,
    completed_at: null,
    status: 'in_progress',
    model: body.model,
    output: [],
    instructions: body.instructions ?? null,
    previous_response_id: body.previous_response_id ?? null,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    temperature: body.temperature ?? null,
    top_p: body.top_p ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    store: body.store ?? true,
    background: body.background ?? false,
    usage: null,
    metadata: body.metadata ?? {},
  };
}

const newItem = (kind: 'reasoning' | 'message', index: number, refused: boolean): Open =>
  kind === 'message'
    ? { kind, id: newId('msg'), index, text: '', refused }
    : { kind, id: newId('rs'), index, text: '' };

const contentPart = (refused: boolean, text: string) =>
  refused ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [], logprobs: [] };
const summaryPart = (text: string) => ({ type: 'summary_text', text });

function outputOf(item: Open, status: 'in_progress' | 'completed'): Output {
  const { id, text } = item;
  const done = status === 'completed';
  switch (item.kind) {
    case 'reasoning':
      return { id, type: 'reasoning', summary: done ? [summaryPart(text)] : [] };
    case 'message':
      return { id, type: 'message', status, role: 'assistant', content: done ? [contentPart(item.refused, text)] : [] };
    case 'call':
      return { id, type: 'function_call', status, call_id: item.callId, name: item.name, arguments: text };
  }
}

/** The events that say once more, whole, what was written in pieces. */
function closing(item: Open, event: (type: string, fields: object) => ResponseEvent, at: object): ResponseEvent[] {
  const { text } = item;
  switch (item.kind) {
    case 'reasoning':
      return [
        event('response.reasoning_summary_text.done', { ...at, summary_index: 0, text }),
        event('response.reasoning_summary_part.done', { ...at, summary_index: 0, part: summaryPart(text) }),
      ];
    case 'message':
      return [
        item.refused
          ? event('response.refusal.done', { ...at, content_index: 0, refusal: text })
          : event('response.output_text.done', { ...at, content_index: 0, text, logprobs: [] }),
        event('response.content_part.done', { ...at, content_index: 0, part: contentPart(item.refused, text) }),
      ];
    case 'call':
      return [event('response.function_call_arguments.done', { ...at, name: item.name, arguments: text })];
  }
}

const toResponseUsage = (usage: ModelUsage) => ({
  input_tokens: usage.promptTokens,
  output_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  input_tokens_details: { cached_tokens: usage.cacheReadTokens },
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
});
