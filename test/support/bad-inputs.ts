// Bad requests for every operation of a set of contracts, made from their schemas.
import { z } from 'zod';
import { isMultipart } from '../../src/contract/multipart.ts';
import { entriesOf } from '../../src/contract/openapi/document.ts';
import type { Group } from '../../src/contract/operation.ts';
import { segmentsOf } from '../../src/contract/path.ts';

export interface BadInput {
  /** Operation and what is wrong, for the test's name. */
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
  /** Statuses that tell of the fault; empty where any but a success or a 5xx will do. */
  statuses: readonly number[];
  /** Names that the error's message or hint must hold. */
  named: readonly string[];
}

interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
}

/** An id that no store hands out. */
const unknownId = '8999999999999';
/** An address that tries too many keys is told to wait. */
const refused = [401, 429];
const json = { 'content-type': 'application/json' };

const shapeOf = (schema: z.ZodType) =>
  (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema).properties ?? {};

/** A value that a field of this schema refuses, or undefined when it takes anything. */
function wrongValue({ type, ...rest }: JsonSchema): unknown {
  if (type === undefined && Object.keys(rest).length === 0) return undefined;
  const types = [type].flat();
  return types.includes('object') ? 17 : types.includes('array') ? true : { not: 'this' };
}

/**
 * The bad requests: wrong and missing credentials, broken, huge and mistyped bodies, unknown fields, parameters out of
 * range, and ids of nothing. `key` is a credential that may do everything, so that only the fault is left to find.
 */
export function badInputs(groups: readonly Group[], key: string): BadInput[] {
  const authorization = `Bearer ${key}`;
  return entriesOf(groups).flatMap(({ id, operation, path }) => {
    const { method, needs, query, body } = operation;
    const fill = (int64: string) =>
      segmentsOf(path)
        .map((s) => `/${s.kind === 'literal' ? s.text : s.kind === 'int64' ? int64 : 'no-such-name'}`)
        .join('');
    const good = fill(unknownId);
    const make = (what: string, more: Partial<BadInput>): BadInput => ({
      name: `${id}: ${what}`,
      method,
      path: good,
      headers: { authorization },
      body: null,
      statuses: [400],
      named: [],
      ...more,
    });
    const cases = [make('an unknown query parameter', { path: `${good}?noSuchThing=1`, named: ['noSuchThing'] })];
    if (needs !== 'public')
      cases.push(
        make('no key', { headers: {}, statuses: [401] }),
        make('a wrong key', { headers: { authorization: 'Bearer rvt_wrong' }, statuses: refused }),
        make('a header that is no credential', { headers: { authorization: 'Basic !!' }, statuses: refused }),
      );
    if (path.includes('{')) cases.push(make('an id of nothing', { statuses: [] }));
    if (fill('1') !== fill('2')) cases.push(make('an id beyond 2^53', { path: fill('9999999999999999') }));
    if (query)
      for (const [name, field] of Object.entries(shapeOf(query)))
        if ([field.type].flat().some((type) => type === 'integer' || type === 'number' || type === 'boolean'))
          cases.push(make(`${name} that is no ${field.type}`, { path: `${good}?${name}=x`, named: [name] }));
    if (method === 'GET') return cases;
    return [...cases, ...(isMultipart(body) ? badForms(make, authorization) : badBodies(make, authorization, body))];
  });
}

type Make = (what: string, more: Partial<BadInput>) => BadInput;

function badBodies(make: Make, authorization: string, schema: z.ZodType | undefined): BadInput[] {
  const headers = { authorization, ...json };
  const send = (value: unknown) => ({ headers, body: JSON.stringify(value) });
  const fields = schema ? shapeOf(schema) : {};
  const mistyped = Object.entries(fields).flatMap(([name, field]) => {
    const value = wrongValue(field);
    return value === undefined ? [] : [make(`${name} of another type`, { ...send({ [name]: value }), named: [name] })];
  });
  return [
    make('broken JSON', { headers, body: '{"a":' }),
    make('JSON that is no object', send([1])),
    make('an unknown field', { ...send({ noSuchField: 1 }), named: schema ? ['noSuchField'] : [] }),
    make('JSON nested too deep', { headers, body: '['.repeat(5000) + ']'.repeat(5000) }),
    make('another media type', {
      headers: { authorization, 'content-type': 'text/plain' },
      body: 'x',
      statuses: [415],
    }),
    ...mistyped,
  ];
}

function badForms(make: Make, authorization: string): BadInput[] {
  const form = { authorization, 'content-type': 'multipart/form-data; boundary=b' };
  const part = '--b\r\ncontent-disposition: form-data; name="noSuchFile"; filename="f"\r\n\r\nx\r\n--b--\r\n';
  return [
    make('JSON for a form', { headers: { authorization, ...json }, body: '{}', statuses: [415] }),
    make('a form without boundary', { headers: { authorization, 'content-type': 'multipart/form-data' }, body: 'x' }),
    make('a form that breaks off', { headers: form, body: part.slice(0, 60) }),
    make('an unknown file', { headers: form, body: part, named: ['noSuchFile'] }),
  ];
}
