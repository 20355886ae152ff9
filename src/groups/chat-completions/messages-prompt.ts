// Turns the body of Anthropic's Messages into a model request.
import { z } from 'zod';
import type { ModelMessage, ModelRequest, ModelTool, UserPart } from '../../../runtime/model.ts';
import type { Prompt } from './chat-prompt.ts';
import type { MessagesBody } from './contract.ts';
import { wrong } from './parts.ts';

const Source = z.union([
  z.looseObject({ type: z.literal('base64'), media_type: z.string().max(100), data: z.string() }),
  z.looseObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
  z.looseObject({ type: z.literal('text'), data: z.string() }),
]);
const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Image = z.looseObject({ type: z.literal('image'), source: Source });
const Document = z.looseObject({ type: z.literal('document'), source: Source, title: z.string().nullish() });
const Result = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1).max(300),
  content: z.union([z.string(), z.array(z.union([Text, Image, Document]))]).nullish(),
  is_error: z.boolean().nullish(),
});
const UserBlock = z.union([Text, Image, Document, Result]);
const AssistantBlock = z.union([
  Text,
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string().max(300),
    name: z.string().max(200),
    input: z.unknown(),
  }),
]);
const Tool = z.looseObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[\w.-]{1,128}$/),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
});
const Choice = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().nullish(),
});
const Thinking = z.looseObject({ type: z.string(), budget_tokens: z.number().nullish() });
const Output = z.looseObject({
  effort: z.string().max(20).nullish(),
  format: z.looseObject({ schema: z.record(z.string(), z.unknown()) }).nullish(),
});

/** @throws Fault VALIDATION_FAILED, with the field, for what cannot be done */
export function readMessages(body: MessagesBody, headers: Record<string, string>): Prompt {
  const system = textOf(body.system, 'system');
  const toolNames = new Map<string, string>();
  const messages = body.messages.flatMap((message, at) => readMessage(message, `messages.${at}`, toolNames));
  const output = read(Output, body.output_config ?? {}, 'output_config', 'has an effort and a format.');
  const effort = output.effort ?? effortOf(body.thinking);
  const stop = (body.stop_sequences ?? []).filter(Boolean);
  return {
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), ...messages],
    ...readTools(body),
    ...(body.max_tokens != null && { maxOutputTokens: body.max_tokens }),
    ...(body.temperature != null && { temperature: body.temperature }),
    ...(body.top_p != null && { topP: body.top_p }),
    ...(stop.length > 0 && { stop }),
    ...(effort && { reasoningEffort: effort }),
    ...(output.format && { responseSchema: output.format.schema }),
    asWritten: { wire: 'messages', body: written(body), headers },
  };
}

/** The body without the fields that are set here. Thinking without a signature comes from another provider. */
function written({ model: _, stream: __, ...body }: MessagesBody): Record<string, unknown> {
  const isOthers = (block: unknown) => {
    const { type, signature } = (block ?? {}) as { type?: unknown; signature?: unknown };
    return type === 'thinking' && !signature;
  };
  const messages = body.messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.filter((block) => !isOthers(block)) }
      : message,
  );
  return { ...body, messages };
}

function readMessage(
  { role, content }: MessagesBody['messages'][number],
  field: string,
  toolNames: Map<string, string>,
): ModelMessage[] {
  const place = `${field}.content`;
  if (role === 'system') return [{ role, content: textOf(content, place) }];
  if (role === 'assistant') return [readAssistant(content, place, toolNames)];
  if (typeof content === 'string') return [{ role, content }];
  const blocks = read(z.array(UserBlock).min(1), content, place, 'Write text, image, document and tool_result blocks.');
  const results: ModelMessage[] = [];
  const parts: UserPart[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.type !== 'tool_result') parts.push(toPart(block));
    else {
      const toolName = toolNames.get(block.tool_use_id);
      if (!toolName)
        throw wrong(
          `${place}.${at}`,
          'answers no tool call before it.',
          'Send the assistant message with its tool_use.',
        );
      const told = typeof block.content === 'string' ? [{ type: 'text' as const, text: block.content }] : block.content;
      const said = (told ?? []).map(toPart);
      // What is no text has no place in a result of other providers: it follows as something that the user sends.
      parts.push(...said.filter(({ type }) => type !== 'text'));
      const text = said.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const isError = block.is_error ? { isError: true } : {};
      results.push({ role: 'tool', toolCallId: block.tool_use_id, toolName, content: text, ...isError });
    }
  }
  return [...results, ...(parts.length > 0 ? [{ role: 'user' as const, content: parts }] : [])];
}

function readAssistant(content: unknown, field: string, toolNames: Map<string, string>): ModelMessage {
  if (typeof content === 'string') return { role: 'assistant', content };
  const blocks = read(z.array(AssistantBlock), content, field, 'Write text, thinking and tool_use blocks.');
  const toolCalls = blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, argumentsJson: JSON.stringify(block.input ?? {}) }]
      : [],
  );
  for (const { id, name } of toolCalls) toolNames.set(id, name);
  const reasoning = blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  return {
    role: 'assistant',
    content: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    ...(reasoning && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function toPart(block: z.output<typeof Text> | z.output<typeof Image> | z.output<typeof Document>): UserPart {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { source } = block;
  if (source.type === 'text') return { type: 'text', text: source.data };
  const data = source.type === 'url' ? new URL(source.url) : Buffer.from(source.data, 'base64');
  if (block.type === 'image')
    return { type: 'image', mediaType: source.type === 'url' ? 'image/*' : source.media_type, data };
  const mediaType = source.type === 'url' ? 'application/pdf' : source.media_type;
  return { type: 'file', mediaType, data, ...(block.title && { fileName: block.title.slice(0, 300) }) };
}

function readTools(body: MessagesBody): Pick<ModelRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const tools = (body.tools ?? []).map((value, at): ModelTool => {
    const tool = read(
      Tool,
      value,
      `tools.${at}`,
      'Tools have a name and an input_schema; those of Anthropic are not taken.',
    );
    return {
      name: tool.name,
      description: tool.description ?? '',
      inputSchema: tool.input_schema,
      ...(tool.strict != null && { strict: tool.strict }),
    };
  });
  if (tools.length === 0) return {};
  if (body.tool_choice == null) return { tools };
  const choice = read(
    Choice,
    body.tool_choice,
    'tool_choice',
    'Use {"type":"auto"}, "any", "none" or "tool" with a name.',
  );
  const parallel = choice.disable_parallel_tool_use ? { parallelToolCalls: false } : {};
  const { type, name = '' } = choice;
  if (type === 'tool' && !tools.some((tool) => tool.name === name))
    throw wrong('tool_choice.name', 'names no tool of this call.', 'Use the name of one of the tools.');
  return { tools, toolChoice: type === 'any' ? 'required' : type === 'tool' ? { name } : type, ...parallel };
}

/** For providers that think by effort and not within a budget. */
function effortOf(thinking: unknown): string | undefined {
  const { type, budget_tokens: budget } = Thinking.safeParse(thinking).data ?? {};
  if (type === 'adaptive') return 'medium';
  if (type !== 'enabled') return undefined;
  return (budget ?? 0) < 4_000 ? 'low' : (budget ?? 0) < 16_000 ? 'medium' : 'high';
}

function textOf(content: unknown, field: string): string {
  if (content == null) return '';
  if (typeof content === 'string') return content;
  const blocks = read(z.array(Text), content, field, 'Write a string, or blocks such as {"type":"text","text":"…"}.');
  return blocks.map(({ text }) => text).join('\n\n');
}

function read<S extends z.ZodType>(schema: S, value: unknown, field: string, hint: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.map((part) => `.${String(part)}`).join('') ?? '';
  throw wrong(`${field}${path}`, 'cannot be read.', hint);
}
