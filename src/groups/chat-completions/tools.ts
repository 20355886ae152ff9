// Reads tools, the choice among them, and the wanted form of the answer, in the forms of both of OpenAI's interfaces.
import { z } from 'zod';
import type { ModelRequest, ModelTool } from '../../../runtime/model.ts';
import { wrong } from './parts.ts';

const Definition = z.looseObject({
  name: z.string().regex(/^[\w.-]{1,128}$/),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
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

type ToolParts = Pick<ModelRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** @throws Fault VALIDATION_FAILED */
export function readTools(body: {
  tools?: unknown[] | null | undefined;
  tool_choice?: unknown;
  parallel_tool_calls?: boolean | null | undefined;
}): ToolParts {
  const tools = (body.tools ?? []).map((tool, at) => readTool(tool, `tools.${at}`));
  const toolChoice = readChoice(body.tool_choice, tools);
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
  const { name, description, parameters } =
    'function' in parsed.data ? (parsed.data.function as z.output<typeof Definition>) : parsed.data;
  return { name, description: description ?? '', inputSchema: parameters ?? { type: 'object', properties: {} } };
}

function readChoice(choice: unknown, tools: readonly ModelTool[]): ToolParts['toolChoice'] {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none') return choice;
  const known = tools.map(({ name }) => name);
  if (choice === 'required' && known.length > 0) return choice;
  const parsed = Choice.safeParse(choice);
  const name =
    parsed.success && ('function' in parsed.data ? (parsed.data.function as { name: string }).name : parsed.data.name);
  if (name && known.includes(name)) return { name };
  throw wrong(
    'tool_choice',
    'names no tool of this call.',
    'Use "auto", "none", "required", or the name of one of the tools.',
  );
}

const Schema = z.looseObject({ schema: z.record(z.string(), z.unknown()) });

/**
 * The form of the answer: `response_format` of Chat Completions, `text.format` of Responses.
 *
 * @throws Fault VALIDATION_FAILED
 */
export function readFormat(format: unknown, field: string): Pick<ModelRequest, 'responseSchema' | 'responseJson'> {
  if (format === undefined || format === null) return {};
  const { type, json_schema: wrapped } = format as { type?: unknown; json_schema?: unknown };
  if (type === 'text') return {};
  if (type === 'json_object') return { responseJson: true };
  const parsed = type === 'json_schema' ? Schema.safeParse(wrapped ?? format) : null;
  if (parsed?.success) return { responseSchema: parsed.data.schema };
  throw wrong(
    field,
    'is no known form of an answer.',
    'Use the type "text", "json_object", or "json_schema" with a schema.',
  );
}
