// Turns zod schemas into the JSON Schemas of an OpenAPI 3.1 document, named ones as components.
import { z } from 'zod';

export type Json = { [key: string]: unknown };

/** Schemas by the key they were asked under, and the components that they refer to. */
export interface Converted {
  schemas: Record<string, Json>;
  components: Record<string, Json>;
}

/**
 * Converts all schemas at once, so that each named schema is converted once. References point to components.
 *
 * @throws Error when two different schemas share a name
 */
export function convertSchemas(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Converted {
  const whole = z.toJSONSchema(z.object(schemas), { io, unrepresentable: 'any', override: tidy }) as {
    properties?: Record<string, Json>;
    $defs?: Record<string, Json>;
  };
  const { properties = {}, $defs = {} } = rewrite(whole, (ref) => ref.replace('#/$defs/', '#/components/schemas/'));
  return { schemas: properties, components: $defs };
}

/** Renames components wherever they are referred to. */
export function renameRefs<T>(value: T, names: ReadonlyMap<string, string>): T {
  return rewrite(value, (ref) => {
    const name = ref.slice(ref.lastIndexOf('/') + 1);
    return ref.startsWith('#/components/schemas/') && names.has(name) ? `#/components/schemas/${names.get(name)}` : ref;
  });
}

function rewrite<T>(value: T, change: (ref: string) => string): T {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === '$ref' && typeof inner === 'string' ? change(inner) : rewrite(inner, change),
  ]);
  return Object.fromEntries(entries) as T;
}

/** Drops patterns that a format already says, ranges that the number format already says, and spells `null` as a type. */
function tidy({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern;
  if (schema.format === 'int32' && schema.maximum === 2 ** 31 - 1) delete schema.maximum;
  if (schema.format === 'int32' && schema.minimum === -(2 ** 31)) delete schema.minimum;
  const [first, second, ...more] = schema.anyOf ?? [];
  if (more.length || typeof first !== 'object' || typeof second !== 'object' || second.type !== 'null') return;
  if (typeof first.type !== 'string' || first.$ref || first.enum || first.const !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, first, { type: [first.type, 'null'] });
}
