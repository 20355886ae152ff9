// Fields of a call: the JSON schema that its mappings say, the checking of what was given, and values by paths.
import { Fault } from '../kernel/fault.ts';

/** A field of an endpoint, as its mapping says. */
export interface Field {
  /** As runs and chats call it. */
  name: string;
  /** As the other side calls it. */
  external: string;
  path: string | null;
  type: string | null;
  isRequired: boolean;
  isKey: boolean;
  expression: string | null;
  /** Text; JSON where the type is not a text. */
  fallback: string | null;
  about: string | null;
}

const types: Readonly<Record<string, string>> = {
  ...{ text: 'string', string: 'string', date: 'string', datetime: 'string', uuid: 'string' },
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer', integer: 'integer' },
  ...{ float: 'number', double: 'number', decimal: 'number', number: 'number' },
  ...{ bool: 'boolean', boolean: 'boolean', array: 'array', list: 'array', object: 'object', json: 'object' },
};

/** The type of JSON Schema that a data type is; null for any. @throws Fault VALIDATION_FAILED for one that is none */
export function jsonTypeOf(type: string | null): string | null {
  if (type === null) return null;
  const found = types[type.toLowerCase()];
  if (found) return found;
  throw new Fault('VALIDATION_FAILED', `dataType: "${type.slice(0, 50)}" is no type of a field.`, {
    field: 'dataType',
    hint: `Use one of ${Object.keys(types).join(', ')}.`,
  });
}

/** What a call takes, as JSON Schema. */
export function schemaOf(fields: readonly Field[]): Record<string, unknown> {
  const property = ({ type, about, fallback }: Field) => {
    const json = jsonTypeOf(type);
    return {
      ...(json && { type: json }),
      ...(json === 'array' && { items: {} }),
      ...(about && { description: about }),
      ...(fallback !== null && { default: fromText(fallback, json) }),
    };
  };
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])),
    required: fields.filter(({ isRequired, fallback }) => isRequired && fallback === null).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** What was given, with defaults, by the fields' names. @throws Fault VALIDATION_FAILED */
export function checkedInput(fields: readonly Field[], given: Record<string, unknown>): Record<string, unknown> {
  const known = new Map(fields.map((field) => [field.name, field]));
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) throw wrong(`There is no field "${unknown.slice(0, 50)}"`, fields);
  const input: Record<string, unknown> = {};
  for (const { name, type, isRequired, fallback } of fields) {
    const json = jsonTypeOf(type);
    const value = given[name] ?? (fallback === null ? undefined : fromText(fallback, json));
    if (value === undefined) {
      if (isRequired) throw wrong(`The field "${name}" is missing`, fields);
      continue;
    }
    if (json !== null && !isOfType(value, json))
      throw wrong(`The field "${name}" has to be of the type ${json}`, fields);
    input[name] = value;
  }
  return input;
}

const isOfType = (value: unknown, type: string): boolean =>
  ({
    string: typeof value === 'string',
    integer: Number.isSafeInteger(value),
    number: typeof value === 'number' && Number.isFinite(value),
    boolean: typeof value === 'boolean',
    array: Array.isArray(value),
    object: typeof value === 'object' && value !== null && !Array.isArray(value),
  })[type] ?? true;

function fromText(text: string, type: string | null): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const wrong = (what: string, fields: readonly Field[]) =>
  new Fault('VALIDATION_FAILED', `${what}.`, {
    hint: fields.length > 0 ? `Fields: ${fields.map(({ name }) => name).join(', ')}.` : 'This call takes no fields.',
  });

/** Segments of `$.user.names[0]` or `user.names.0`. */
const segmentsOf = (path: string): string[] =>
  path
    .replace(/^\$\.?/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter(Boolean);

export function valueAt(source: unknown, path: string): unknown {
  return segmentsOf(path).reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    source,
  );
}

/** Sets a value inside an object whose parts are made on the way. @throws Fault VALIDATION_FAILED for names of prototypes */
export function putAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const names = segmentsOf(path);
  if (names.some((name) => name === '__proto__' || name === 'constructor' || name === 'prototype'))
    throw new Fault('VALIDATION_FAILED', 'A path names a prototype.', { field: 'externalFieldPath' });
  let at = target;
  for (const name of names.slice(0, -1)) {
    const next = at[name];
    if (typeof next !== 'object' || next === null) at[name] = {};
    at = at[name] as Record<string, unknown>;
  }
  at[names.at(-1) ?? ''] = value;
}
