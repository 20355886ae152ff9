// Tools as models and people read them, and their arguments checked.
import { z } from 'zod';
import type { ModelTool } from './model.ts';
import type { ToolSpec } from './ports.ts';

const schemas = new WeakMap<ToolSpec, ModelTool>();

/** The tool as a model is offered it. */
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

/** Limits that models are not shown: calls are checked, and an error names the limit that was broken. */
const untold = new Set(['additionalProperties', 'maxLength', 'maxItems']);
const isBoundless = (key: string, value: unknown) =>
  (key === 'minLength' && value === 1) ||
  ((key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER);

/** A schema of ours as models get it with every call: each word of it is paid for each time. */
function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== 'object' || schema === null) return schema;
  const told = Object.entries(schema).filter(([key, value]) => !untold.has(key) && !isBoundless(key, value));
  return Object.fromEntries(
    told.map(([key, value]) => [key, key === 'properties' ? eachSlim(value as object) : slim(value)]),
  );
}

/** Names of arguments are kept, whatever they are called. */
const eachSlim = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, slim(schema)]));

function inputSchema(tool: ToolSpec): Record<string, unknown> {
  if ('jsonSchema' in tool.input) return tool.input.jsonSchema;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  return schema;
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

/** Arguments as the model wrote them, checked; the problem is text that the model can act on. */
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
