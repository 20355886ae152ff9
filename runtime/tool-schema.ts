// Schemas of tools for models and people, and the check of their arguments.
import { z } from 'zod';
import type { ModelTool } from './model.ts';
import type { ToolSpec } from './ports.ts';

const schemas = new WeakMap<ToolSpec, ModelTool>();

/** A tool as the model's request describes it. */
export function toolSchema(tool: ToolSpec): ModelTool {
  let known = schemas.get(tool);
  if (!known) {
    const schema = inputSchema(tool);
    const shown = 'jsonSchema' in tool.input ? schema : (slim(schema) as Record<string, unknown>);
    known = { name: tool.name, description: tool.description, inputSchema: shown };
    schemas.set(tool, known);
  }
  return known;
}

/** Keywords of a schema that models are not sent: calls are checked, and an error names the broken limit. */
const untold = new Set(['additionalProperties', 'maxLength', 'maxItems']);
const isBoundless = (key: string, value: unknown) =>
  (key === 'minLength' && value === 1) ||
  ((key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER);

/** A schema without those keywords, since each of its tokens is paid for with every call. */
function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== 'object' || schema === null) return schema;
  const told = Object.entries(schema).filter(([key, value]) => !untold.has(key) && !isBoundless(key, value));
  return Object.fromEntries(
    told.map(([key, value]) => [key, key === 'properties' ? eachSlim(value as object) : slim(value)]),
  );
}

/** Names of arguments stay, even when they equal a keyword. */
const eachSlim = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, slim(schema)]));

const inputSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function inputSchema({ input }: ToolSpec): Record<string, unknown> {
  if ('jsonSchema' in input) return input.jsonSchema;
  let known = inputSchemas.get(input);
  if (!known) {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
    known = schema;
    inputSchemas.set(input, known);
  }
  return known;
}

/** The interface's AgentToolInfo. */
export function toolInfo(tool: ToolSpec) {
  return {
    name: tool.name,
    displayName: tool.displayName,
    description: tool.description,
    category: tool.category,
    source: tool.source,
    risk: tool.risk,
    inputSchemaJson: JSON.stringify(inputSchema(tool)),
    connectorId: tool.connectorId ?? null,
    requiresApproval: tool.requiresApproval ?? false,
    sandboxed: tool.sandboxed,
    enabled: tool.enabled ?? true,
  };
}
export type ToolInfo = ReturnType<typeof toolInfo>;

export type Parsed = { ok: true; input: unknown } | { ok: false; problem: string };

/** Checked arguments of a model's call; `problem` is text that the model can act on. */
export function parseArguments(tool: ToolSpec, argumentsJson: string): Parsed {
  let raw: unknown;
  try {
    raw = argumentsJson.trim() === '' ? {} : JSON.parse(argumentsJson);
  } catch (error) {
    return { ok: false, problem: `The arguments are not valid JSON: ${(error as Error).message}` };
  }
  if ('jsonSchema' in tool.input) {
    const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
    return isObject ? { ok: true, input: raw } : { ok: false, problem: 'The arguments must be a JSON object.' };
  }
  const parsed = tool.input.safeParse(raw);
  if (parsed.success) return { ok: true, input: parsed.data };
  return { ok: false, problem: `The arguments do not fit: ${z.prettifyError(parsed.error)}` };
}
