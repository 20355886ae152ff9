// Reads tools, the choice among them, and the wanted form of the answer, in the forms of both of OpenAI's interfaces.
import { z } from 'zod';
import type { ModelRequest, ModelTool } from '../../../runtime/model.ts';
import type { ChatCompletionBody } from './contract.ts';
import { wrong } from './parts.ts';

const Definition = z.looseObject({
  name: z.string().regex(/^[\w.-]{1,128}$/),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
/** Chat Completions wraps the definition, Responses does not. */
const Tool = z.union([
  z.looseObject({ type: z.literal('function'), function: Definition }),
  z.looseObject({ type: z.literal('function'), ...Definition.shape }),
]);
const Choice = z.union([
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  z.looseObject({ type: z.literal('function'), name: z.string() }),
]);

/** Some of the tools, of which the model may choose. */
const Allowed = z.union([
  z.looseObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.looseObject({ mode: z.string(), tools: z.array(z.unknown()) }),
  }),
  z.looseObject({ type: z.literal('allowed_tools'), mode: z.string(), tools: z.array(z.unknown()) }),
]);

/** What was called `functions` and `function_call` before, in the words that followed. */
export function newerTools(body: ChatCompletionBody): ToolFields {
  if (body.tools != null || body.functions == null) return body;
  const choice = body.function_call;
  return {
    tools: body.functions.map((one) => ({ type: 'function', function: one })),
    tool_choice: typeof choice === 'object' && choice !== null ? { type: 'function', function: choice } : choice,
  };
}

interface ToolFields {
  tools?: unknown[] | null | undefined;
  tool_choice?: unknown;
  parallel_tool_calls?: boolean | null | undefined;
}

type ToolParts = Pick<ModelRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** @throws Fault VALIDATION_FAILED */
export function readTools(body: ToolFields): ToolParts {
  const all = (body.tools ?? []).map((tool, at) => readTool(tool, `tools.${at}`));
  const { tools, choice } = allowed(all, body.tool_choice);
  const toolChoice = readChoice(choice, tools);
  return {
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(body.parallel_tool_calls === false && { parallelToolCalls: false }),
  };
}

function readTool(tool: unknown, field: string): ModelTool {
  const parsed = Tool.safeParse(tool);
  if (!parsed.success)
    throw wrong(field, 'is no function tool.', 'Tools are {"type":"function", …} with a name and parameters.');
  const { name, description, parameters, strict } =
    'function' in parsed.data ? (parsed.data.function as z.output<typeof Definition>) : parsed.data;
  return {
    name,
    description: description ?? '',
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(strict != null && { strict }),
  };
}

/** The tools that the choice leaves, and the choice among them. */
function allowed(tools: ModelTool[], choice: unknown): { tools: ModelTool[]; choice: unknown } {
  const parsed = Allowed.safeParse(choice);
  if (!parsed.success) return { tools, choice };
  const among = 'allowed_tools' in parsed.data ? parsed.data.allowed_tools : parsed.data;
  const { mode, tools: left } = among as { mode: string; tools: unknown[] };
  const names = new Set(left.map((one) => nameOf(one)));
  return { tools: tools.filter(({ name }) => names.has(name)), choice: mode };
}

function nameOf(tool: unknown): string | null {
  const parsed = Choice.safeParse(tool);
  if (!parsed.success) return null;
  return 'function' in parsed.data ? (parsed.data.function as { name: string }).name : parsed.data.name;
}

function readChoice(choice: unknown, tools: readonly ModelTool[]): ToolParts['toolChoice'] {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none') return choice;
  const known = tools.map(({ name }) => name);
  if (choice === 'required' && known.length > 0) return choice;
  const name = nameOf(choice);
  if (name && known.includes(name)) return { name };
  throw wrong(
    'tool_choice',
    'names no tool of this call.',
    'Use "auto", "none", "required", or the name of one of the tools.',
  );
}

const Schema = z.looseObject({
  schema: z.record(z.string(), z.unknown()),
  name: z.string().nullish(),
  strict: z.boolean().nullish(),
});

/**
 * The form of the answer: `response_format` of Chat Completions, `text.format` of Responses.
 *
 * @throws Fault VALIDATION_FAILED
 */
export function readFormat(
  format: unknown,
  field: string,
): Pick<ModelRequest, 'responseSchema' | 'responseName' | 'responseStrict' | 'responseJson'> {
  if (format === undefined || format === null) return {};
  const { type, json_schema: wrapped } = format as { type?: unknown; json_schema?: unknown };
  if (type === 'text') return {};
  if (type === 'json_object') return { responseJson: true };
  const parsed = type === 'json_schema' ? Schema.safeParse(wrapped ?? format) : null;
  if (parsed?.success) {
    const { schema, name, strict } = parsed.data;
    return {
      responseSchema: schema,
      ...(name && { responseName: name }),
      ...(strict != null && { responseStrict: strict }),
    };
  }
  throw wrong(
    field,
    'is no known form of an answer.',
    'Use the type "text", "json_object", or "json_schema" with a schema.',
  );
}
