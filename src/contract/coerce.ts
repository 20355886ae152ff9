// Reads query strings and form fields by schema: text becomes numbers, booleans and arrays before zod sees it.
import type { z } from 'zod';

type Scalar = 'number' | 'boolean' | 'text';
interface Kind {
  scalar: Scalar;
  array: boolean;
}

const numeric = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const wrappers = new Set(['optional', 'default', 'prefault', 'nullable', 'nonoptional', 'readonly', 'catch']);

/** What zod 4 keeps of a schema; only what this module reads. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  values?: unknown[];
  options?: z.ZodType[];
  shape?: Record<string, z.ZodType>;
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;

function unwrap(schema: z.ZodType): z.ZodType {
  const definition = definitionOf(schema);
  if (wrappers.has(definition.type) && definition.innerType) return unwrap(definition.innerType);
  if (definition.type === 'pipe' && definition.in) return unwrap(definition.in);
  return schema;
}

function scalarOf(schema: z.ZodType): Scalar {
  const definition = definitionOf(unwrap(schema));
  if (definition.type === 'number' || definition.type === 'int') return 'number';
  if (definition.type === 'boolean') return 'boolean';
  if (definition.type === 'literal') {
    const kind = typeof definition.values?.[0];
    return kind === 'number' || kind === 'boolean' ? kind : 'text';
  }
  return 'text';
}

function kindOf(schema: z.ZodType): Kind {
  const definition = definitionOf(unwrap(schema));
  if (definition.type === 'array' && definition.element) return { scalar: scalarOf(definition.element), array: true };
  return { scalar: scalarOf(schema), array: false };
}

function convert(text: string, scalar: Scalar): unknown {
  if (scalar === 'number') return numeric.test(text) ? Number(text) : text;
  if (scalar === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  return text;
}

/**
 * Makes a reader of named texts (a query string or form fields) for an object schema. The reader only shapes values;
 * the schema still judges them. Arrays come by repetition (`a=1&a=2`) or commas (`a=1,2`); a scalar given twice becomes
 * an array, which its schema refuses; unknown names are kept, so that strict schemas refuse them.
 *
 * @example textReader(z.strictObject({ ids: z.array(z.int()) }))(new URLSearchParams('ids=1,2')) // { ids: [1, 2] }
 */
export function textReader(schema: z.ZodType): (pairs: Iterable<[string, string]>) => Record<string, unknown> {
  const shape = definitionOf(unwrap(schema)).shape ?? {};
  const kinds = new Map(Object.entries(shape).map(([name, field]) => [name, kindOf(field)]));
  return (pairs) => {
    const texts = new Map<string, string[]>();
    for (const [name, text] of pairs) {
      const before = texts.get(name);
      if (before) before.push(text);
      else texts.set(name, [text]);
    }
    const values: Record<string, unknown> = {};
    for (const [name, all] of texts) {
      const value = shapeOf(all, kinds.get(name) ?? { scalar: 'text', array: false });
      // Plain assignment would let a field named __proto__ reach the prototype.
      Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return values;
  };
}

function shapeOf(texts: string[], { scalar, array }: Kind): unknown {
  if (!array) return texts.length > 1 ? texts : convert(texts[0] ?? '', scalar);
  return texts.flatMap((text) => (text === '' ? [] : text.split(','))).map((text) => convert(text, scalar));
}

/** A `textReader` for raw query strings. */
export function queryReader(schema: z.ZodType): (raw: string) => Record<string, unknown> {
  const read = textReader(schema);
  return (raw) => (raw === '' ? {} : read(pairsOf(raw)));
}

/** Name and value pairs of a query; URLSearchParams costs several times as much where nothing is encoded. */
function pairsOf(raw: string): Iterable<[string, string]> {
  if (/[%+]/.test(raw)) return new URLSearchParams(raw);
  const pairs: [string, string][] = [];
  for (const part of raw.split('&')) {
    const equals = part.indexOf('=');
    if (equals >= 0) pairs.push([part.slice(0, equals), part.slice(equals + 1)]);
    else if (part !== '') pairs.push([part, '']);
  }
  return pairs;
}
