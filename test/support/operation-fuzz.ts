// Requests that are wrong in some way, made from an operation's own schemas.
import fc from 'fast-check';
import { isMultipart } from '../../src/contract/multipart.ts';
import type { AnyOperation } from '../../src/contract/operation.ts';
import { anyText } from './any-text.ts';
import { type ListedOperation, type Schema, schemaOf, smallest, smallestBody } from './operations.ts';

export interface BadRequest {
  /** What is wrong with it. */
  label: string;
  query?: string;
  body?: string | Uint8Array;
  contentType?: string;
  /** Status that it must have; any below 500 where it may also happen to be right. */
  status?: number;
}

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

/** Values that are wrong for nearly every field, as JSON texts, for they include what JSON.stringify never makes. */
const oddValues: readonly string[] = [
  'null',
  '-1',
  '1.5',
  '1e400',
  '9007199254740993',
  '""',
  '" "',
  '"\\ud800"',
  '"a\\u0000b"',
  '"\\r\\nx: y"',
  `"${'x'.repeat(300_000)}"`,
  '[]',
  '{}',
  '{"$gt":""}',
  '{"__proto__":{"admin":true}}',
  deep(5000, '[', ']'),
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
];

const oddQueries: readonly string[] = [
  '',
  '-1',
  '1.5',
  '0x10',
  '99999999999999999999',
  'NaN',
  'true,false',
  'x'.repeat(5000),
  '%00',
  '%ff',
  '%ED%A0%80',
  '%0d%0ax-evil:%201',
  '{"$ne":null}',
  '../../etc/passwd',
  "' OR 1=1 --",
  '\\-(.*)+$',
  '2024-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
];

/** The body with one field set to a JSON text. */
const withField = (base: object, name: string, text: string) => {
  const others = Object.entries(base).filter(([key]) => key !== name);
  const members = [...others.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)];
  return `{${[...members, `${JSON.stringify(name)}:${text}`].join(',')}}`;
};

/** Every wrong request that can be thought of for an operation with a JSON body. */
export function badBodies({ operation, group }: ListedOperation): BadRequest[] {
  // Bytes of another service are read by nobody before they are verified.
  if (operation.takesBytes) return [];
  const schema = schemaOf(operation, 'body');
  const base = (smallestBody(operation) ?? {}) as object;
  const isForm = isMultipart(operation.body);
  /** A form looks at no JSON, however wrong it is. */
  const status = isForm ? 415 : 400;
  /** One that takes forms looks at what the form says. */
  const formStatus = { status: operation.takesForm ? 400 : 415 };
  // Those of other APIs pass on what they do not know.
  const strict = operation.failure || group === 'ChatUi' ? {} : { status };
  const whole: BadRequest[] = [
    { label: 'half a body', body: '{"a":', status },
    { label: 'not JSON', body: 'undefined', status },
    { label: 'a string', body: '"x"', status },
    { label: 'a number', body: '7', status },
    { label: 'a list', body: '[1]', status },
    { label: 'not UTF-8', body: Uint8Array.from([0x22, 0xff, 0xfe, 0x22]), status },
    { label: 'a byte-order mark', body: `\ufeff${JSON.stringify(base)}`, status },
    { label: 'deep lists', body: deep(20_000, '[', ']'), status },
    { label: 'unknown field', body: withField(base, 'nonsense', '1'), ...strict },
    { label: '__proto__', body: withField(base, '__proto__', '{"admin":true}'), ...strict },
    { label: 'constructor', body: withField(base, 'constructor', '{"prototype":{}}'), ...strict },
    { label: 'many unknown fields', body: manyFields, ...strict },
    { label: 'text', body: 'hello', contentType: 'text/plain', status: 415 },
    { label: 'a form', body: 'a=1', contentType: 'application/x-www-form-urlencoded', ...formStatus },
    ...(isForm ? [] : tooLarge(operation.maxBodyBytes ?? 1 << 20)),
  ];
  const fields = Object.keys(schema ? propertiesOf(schema) : {}).flatMap((name) =>
    oddValues.map((text) => ({ label: `${name} = ${text.slice(0, 30)}`, body: withField(base, name, text) })),
  );
  const missing = Object.keys(base).map((name) => ({
    label: `without ${name}`,
    body: JSON.stringify({ ...base, [name]: undefined }),
    status: 400,
  }));
  return [...whole, ...missing, ...fields];
}

/** Of large limits none: a client that still writes when the refusal comes may see the connection break instead. */
const tooLarge = (limit: number): BadRequest[] =>
  limit > 2 << 20 ? [] : [{ label: 'too large', body: `"${'x'.repeat(limit + 1)}"`, status: 413 }];

/** Whether a schema passes over fields that it does not name. */
const isLoose = (schema: AnyOperation['query']): boolean => {
  const parsed = schema?.safeParse({ nonsense: '1' });
  return (
    parsed !== undefined && !parsed.error?.issues.some((issue: { code?: string }) => issue.code === 'unrecognized_keys')
  );
};

/** Queries that are wrong, or odd. */
export function badQueries(operation: AnyOperation): BadRequest[] {
  const schema = schemaOf(operation, 'query');
  // Protocols of others have clients send what the server does not know (RFC 6749, section 3.1).
  const strict = isLoose(operation.query) ? {} : { status: 400 };
  const whole: BadRequest[] = [
    { label: 'unknown field', query: 'nonsense=1', ...strict },
    { label: '__proto__', query: '__proto__=1', ...strict },
    { label: 'broken encoding', query: '%=%&%%ff', ...strict },
  ];
  const fields = Object.keys(schema ? propertiesOf(schema) : {}).flatMap((name) => [
    ...oddQueries.map((text) => ({ label: `?${name}=${text.slice(0, 30)}`, query: `${name}=${text}` })),
    { label: `?${name} often`, query: Array.from({ length: 300 }, (_, i) => `${name}=${i}`).join('&') },
  ]);
  return [...whole, ...fields];
}

/** Bodies that the schema takes, and such with something broken in them. */
export function randomBodies(operation: AnyOperation): fc.Arbitrary<unknown> | null {
  const schema = schemaOf(operation, 'body');
  if (!schema) return null;
  const valid = arbitraryOf(schema);
  const broken = fc
    .tuple(valid, fc.constantFrom(...Object.keys(propertiesOf(schema)), 'other'), fc.jsonValue())
    .map(([body, name, value]) => ({ ...(body as object), [name]: value }));
  return fc.oneof(valid, broken);
}

/** Made once: each string of fast-check computes its own edge cases when it is made. */
const strings = fc.oneof(anyText({ maxLength: 60 }), fc.string({ minLength: 1, maxLength: 60 }));

function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object': {
      const required = schema.required ?? [];
      const properties = Object.entries(schema.properties ?? {});
      if (properties.length === 0) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
      const model = Object.fromEntries(properties.map(([name, property]) => [name, arbitraryOf(property)]));
      return fc.record(model, { requiredKeys: required });
    }
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), { maxLength: 4 });
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: 1, max: 5 }), fc.maxSafeInteger());
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'string':
      return schema.format === 'date-time'
        ? fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
        : strings;
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
}

const propertiesOf = (schema: Schema): Record<string, Schema> =>
  schema.properties ?? schema.anyOf?.find((part) => part.properties)?.properties ?? {};

const manyFields = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field${i}`, i])));

/** The query that an operation needs at least, so that it answers at once. */
export function smallestQuery(operation: AnyOperation): string {
  const schema = schemaOf(operation, 'query');
  const needed = schema ? (smallest(schema) as Record<string, unknown>) : {};
  if (schema?.properties?.timeoutMs) needed.timeoutMs = 0;
  return new URLSearchParams(
    Object.entries(needed).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
