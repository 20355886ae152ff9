// All operations of the interface as tests need them: by id, with paths filled in and bodies that are valid or nearly so.
import { z } from 'zod';
import { isMultipart } from '../../src/contract/multipart.ts';
import type { AnyOperation, Group } from '../../src/contract/operation.ts';
import { groups } from '../../src/groups/index.ts';

export interface ListedOperation {
  id: string;
  group: string;
  method: string;
  /** E.g. `/api/agent/runs/{id}`. */
  template: string;
  operation: AnyOperation;
}

/** What tests look at of a JSON Schema. */
export interface Schema {
  type?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  minLength?: number;
  minimum?: number;
  format?: string;
  default?: unknown;
}

export const operations: readonly ListedOperation[] = Object.values(groups as Record<string, Group>).flatMap((group) =>
  Object.entries(group.operations).map(([verb, operation]) => ({
    id: `${group.id}_${verb}`,
    group: group.id,
    method: operation.method,
    template: group.base + operation.path,
    operation,
  })),
);

/** Names of the parameters of a path. */
export const paramsOf = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

export const fillPath = (template: string, value: (name: string) => string | number) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(value(name))));

const known = { body: new Map<AnyOperation, Schema | null>(), query: new Map<AnyOperation, Schema | null>() };

/** JSON Schema of what an operation takes as JSON body or query, made once; null where it takes none. */
export function schemaOf(operation: AnyOperation, part: 'body' | 'query'): Schema | null {
  const before = known[part].get(operation);
  if (before !== undefined) return before;
  const schema = jsonSchemaOf(operation, part);
  known[part].set(operation, schema);
  return schema;
}

function jsonSchemaOf(operation: AnyOperation, part: 'body' | 'query'): Schema | null {
  const schema = operation[part];
  if (!schema || isMultipart(schema)) return null;
  const { $defs = {}, ...root } = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
  return inlined(root, $defs) as Schema;
}

/** With references replaced by what they name. */
function inlined(value: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, definitions));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return inlined(definitions[String(value.$ref).slice('#/$defs/'.length)], definitions);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inlined(part, definitions)]));
}

/** The smallest value that a schema takes. */
export function smallest(schema: Schema): unknown {
  const at = schema.anyOf?.[0] ?? schema;
  if (at.const !== undefined) return at.const;
  if (at.enum) return at.enum[0];
  if (at.type === 'object' || at.properties)
    return Object.fromEntries(
      (at.required ?? []).map((name) => [name, smallest((at.properties as Record<string, Schema>)[name] as Schema)]),
    );
  if (at.type === 'array') return [];
  if (at.type === 'boolean') return false;
  if (at.type === 'integer' || at.type === 'number') return Math.max(1, at.minimum ?? 1);
  if (at.type === 'string')
    return at.format === 'date-time' ? '2040-01-01T00:00:00Z' : 'x'.repeat(Math.max(1, at.minLength ?? 1));
  return null;
}

/** The smallest body of an operation; undefined where it takes none. */
export function smallestBody(operation: AnyOperation): unknown {
  const schema = schemaOf(operation, 'body');
  return schema ? smallest(schema) : undefined;
}
