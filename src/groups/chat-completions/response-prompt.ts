// Turns the body of a Responses call into a model request.
import { z } from 'zod';
import type { ModelMessage, ModelToolCall } from '../../../runtime/model.ts';
import type { Prompt } from './chat-prompt.ts';
import type { ResponseBody } from './contract.ts';
import { readContent, readText, wrong } from './parts.ts';
import { readFormat, readTools } from './tools.ts';

/**
 * The request of a call that follows on `earlier` messages, and the messages that it adds to them.
 *
 * @throws Fault VALIDATION_FAILED, with the field, for what cannot be done
 */
export function readResponse(
  body: ResponseBody,
  earlier: readonly ModelMessage[],
  referenced: Referenced = new Map(),
): { prompt: Prompt; added: ModelMessage[] } {
  const added = readInput(body.input, earlier, referenced);
  const effort = z.looseObject({ effort: z.string().max(20).nullish() }).safeParse(body.reasoning ?? {});
  if (!effort.success) throw wrong('reasoning.effort', 'is no effort.', 'Use "low", "medium" or "high".');
  const prompt: Prompt = {
    messages: [
      ...(body.instructions ? [{ role: 'system' as const, content: body.instructions }] : []),
      ...earlier,
      ...added,
    ],
    ...readTools(body),
    ...readFormat(body.text?.format, 'text.format'),
    ...(body.max_output_tokens != null && { maxOutputTokens: body.max_output_tokens }),
    ...(body.temperature != null && { temperature: body.temperature }),
    ...(body.top_p != null && { topP: body.top_p }),
    ...(effort.data.effort && { reasoningEffort: effort.data.effort }),
    ...(body.prompt_cache_key && { cacheKey: body.prompt_cache_key }),
    asWritten: { wire: 'responses', body: written(body, earlier.length === 0) },
  };
  return { prompt, added };
}

/**
 * All but what is done here. Items of earlier answers have ids of ours, which providers do not know: the conversation is
 * as the client wrote it while it has none of them.
 */
function written(body: ResponseBody, isFirst: boolean): Record<string, unknown> {
  const { model: _, stream: __, stream_options: ___, background: ____, previous_response_id: _____, ...rest } = body;
  if (isFirst && (typeof body.input === 'string' || body.input.every(isAsked))) return rest;
  const { input: ______, ...without } = rest;
  return without;
}

/** An item that only a client can have written. */
function isAsked(item: unknown): boolean {
  const { data } = Item.safeParse(item);
  return (data?.type ?? 'message') === 'message' && data?.role !== undefined && data.role !== 'assistant';
}

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: z.unknown().optional(),
  call_id: z.string().min(1).max(300).optional(),
  name: z.string().min(1).max(200).optional(),
  arguments: z.string().optional(),
  output: z.unknown().optional(),
  summary: z.array(z.looseObject({ text: z.string().optional() })).optional(),
});
type Item = z.output<typeof Item>;

/** Items of earlier answers by their ids, with what their providers want back. */
type Referenced = ReadonlyMap<string, { item: unknown; state: unknown }>;

const Reference = z.looseObject({ type: z.literal('item_reference').nullish(), id: z.string().max(300) }).refine(
  // A reference may also come without its type.
  (item) => item.type === 'item_reference' || Object.keys(item).length === 1,
);

/** Ids of the items that the input only names. */
export function referencesIn(input: ResponseBody['input']): string[] {
  if (typeof input === 'string') return [];
  return input.flatMap((item) => Reference.safeParse(item).data?.id ?? []);
}

function resolved(value: unknown, referenced: Referenced, field: string): { item: unknown; state?: unknown } {
  const reference = Reference.safeParse(value).data;
  if (!reference) return { item: value };
  const found = referenced.get(reference.id);
  if (found) return found;
  throw wrong(
    `${field}.id`,
    `there is no item "${reference.id.slice(0, 100)}".`,
    'Items of responses are kept for 30 days, unless store was false; send the item itself instead.',
  );
}

function readInput(
  input: ResponseBody['input'],
  earlier: readonly ModelMessage[],
  referenced: Referenced,
): ModelMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const toolNames = new Map(
    earlier
      .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      .map(({ id, name }) => [id, name]),
  );
  const messages: ModelMessage[] = [];
  for (const [at, value] of input.entries()) {
    const field = `input.${at}`;
    const { item, state } = resolved(value, referenced, field);
    const parsed = Item.safeParse(item);
    if (!parsed.success)
      throw wrong(field, 'is no item of a conversation.', 'Write items such as {"role":"user","content":"…"}.');
    addItem(messages, parsed.data, field, toolNames);
    const last = messages.at(-1);
    if (state != null && last?.role === 'assistant') last.providerState = state;
  }
  return messages;
}

function addItem(messages: ModelMessage[], item: Item, field: string, toolNames: Map<string, string>): void {
  const type = item.type ?? 'message';
  if (type === 'message' && item.role) messages.push(readMessage(item, item.role, field, messages));
  else if (type === 'reasoning')
    assistantIn(messages).reasoning = (item.summary ?? []).map(({ text }) => text ?? '').join('\n');
  else if (type === 'function_call' && item.call_id && item.name) {
    const call: ModelToolCall = { id: item.call_id, name: item.name, argumentsJson: item.arguments ?? '{}' };
    toolNames.set(call.id, call.name);
    const message = assistantIn(messages);
    message.toolCalls = [...(message.toolCalls ?? []), call];
  } else if (type === 'function_call_output' && item.call_id) {
    const toolName = toolNames.get(item.call_id);
    if (!toolName)
      throw wrong(
        `${field}.call_id`,
        'answers no function call before it.',
        'Send the function_call item first, or previous_response_id.',
      );
    messages.push({
      role: 'tool',
      toolCallId: item.call_id,
      toolName,
      content: outputText(item.output, `${field}.output`),
    });
  } else
    throw wrong(
      field,
      `items of type "${type.slice(0, 40)}" are not taken like this.`,
      'Send messages, reasoning, function calls and their outputs.',
    );
}

/** What the assistant said in one turn comes in several items and is one message to a model. */
function assistantIn(messages: ModelMessage[]): Extract<ModelMessage, { role: 'assistant' }> {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last;
  const message: Extract<ModelMessage, { role: 'assistant' }> = { role: 'assistant', content: '' };
  messages.push(message);
  return message;
}

function readMessage(
  item: Item,
  role: NonNullable<Item['role']>,
  field: string,
  messages: ModelMessage[],
): ModelMessage {
  if (role === 'user') return { role, content: readContent(item.content, `${field}.content`) };
  const content = readText(item.content, `${field}.content`);
  if (role !== 'assistant') return { role: 'system', content };
  const last = messages.at(-1);
  const thought = last?.role === 'assistant' && last.content === '' && !last.toolCalls ? messages.pop() : null;
  return { ...thought, role, content };
}

const outputText = (output: unknown, field: string) => (typeof output === 'string' ? output : readText(output, field));
