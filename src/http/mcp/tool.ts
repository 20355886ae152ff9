// A tool of the MCP server: one operation, its arguments in one object, and how they become a request.

import { isMultipart } from '../../contract/multipart.ts';
import { convertSchemas, type Json } from '../../contract/openapi/json-schema.ts';
import type { AnyOperation, Group } from '../../contract/operation.ts';
import { segmentsOf } from '../../contract/path.ts';
import type { InnerRequest } from '../inner-exchange.ts';

export interface ToolDraft {
  name: string;
  group: Group;
  verb: string;
  /** Said instead of the operation's own sentence. */
  doc?: string;
  /** Fields of the operation that the tool does not offer. */
  without?: readonly string[];
  /** Fields that are always so. */
  always?: Readonly<Record<string, unknown>>;
  /** Further fields, which `follow` reads and the operation does not. */
  more?: Json;
  /** What comes after the operation, where that takes long. */
  follow?: 'run' | 'reply';
  /** The tool may be called as a task. */
  task?: boolean;
}

export interface OperationTool extends Pick<ToolDraft, 'name' | 'follow' | 'task'> {
  operation: AnyOperation;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  /** The request that carries a call out. Arguments that the operation does not know stay in, for it to refuse. */
  request(args: Readonly<Record<string, unknown>>, caller: { identityId: number | null }): Asked;
}

type Asked = Pick<InnerRequest, 'method' | 'path' | 'query' | 'body'> & { key: string | null };

/** An argument that the path needs is missing, or is none that a path can have. */
export class WrongArgument extends Error {}

const idempotencyKey = {
  type: 'string',
  maxLength: 200,
  description: 'A name of your own for this call: a repeat with the same one answers what the first made.',
};

export function toolOf(draft: ToolDraft): OperationTool {
  const { name, group, verb, doc, without = [], always = {}, more = {}, follow, task = false } = draft;
  const operation = group.operations[verb];
  if (!operation) throw new Error(`${name}: ${group.id} has no ${verb}`);
  const template = group.base + operation.path;
  const { method } = operation;
  const pathFields = segmentsOf(template).flatMap((one) => ('name' in one ? [one] : []));
  const query = objectSchema(operation.query);
  const body = isMultipart(operation.body) ? noSchema : objectSchema(operation.body);
  const takesKey = method === 'POST' && operation.idempotent !== false && !('idempotencyKey' in body.properties);
  const hidden = new Set([...without, ...Object.keys(always)]);
  const params = Object.fromEntries(
    pathFields.map((one) => [one.name, one.kind === 'int64' ? { type: 'integer' } : { type: 'string' }]),
  );
  const properties = {
    ...query.properties,
    ...body.properties,
    ...params,
    ...(takesKey && { idempotencyKey }),
    ...more,
  };
  const required = [
    ...pathFields.map((one) => one.name).filter((one) => one !== 'identityId'),
    ...query.required,
    ...body.required,
  ];
  const defs = { ...query.defs, ...body.defs };
  const queryNames = new Set(Object.keys(query.properties));

  return {
    name,
    ...(follow && { follow, task }),
    operation,
    description: doc ?? operation.doc,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(properties).filter(([one]) => !hidden.has(one))),
      required: required.filter((one) => !hidden.has(one)),
      additionalProperties: false,
      ...(Object.keys(defs).length > 0 && { $defs: defs }),
    },
    annotations: {
      readOnlyHint: method === 'GET',
      destructiveHint: method === 'DELETE',
      idempotentHint: method !== 'POST',
      openWorldHint: follow !== undefined,
    },
    request: (given, caller) => {
      const args: Record<string, unknown> = { ...given, ...always };
      for (const own of Object.keys(more)) delete args[own];
      const path = pathOf(template, (field) => {
        const value = args[field] ?? (field === 'identityId' ? caller.identityId : undefined);
        delete args[field];
        if (value === undefined || value === null || value === '')
          throw new WrongArgument(
            `${field} is missing${field === 'identityId' ? ': your key has no identity of its own, so name one (identity_list)' : ''}.`,
          );
        return inPath(pathFields, field, String(value));
      });
      const key = takesKey && typeof args.idempotencyKey === 'string' ? args.idempotencyKey : null;
      if (takesKey) delete args.idempotencyKey;
      const inQuery = Object.entries(args).filter(([field]) => !operation.body || queryNames.has(field));
      for (const [field] of inQuery) delete args[field];
      const sent = operation.body && method !== 'GET' ? JSON.stringify(args) : undefined;
      return { method, path, query: queryText(inQuery), ...(sent !== undefined && { body: sent }), key };
    },
  };
}

/** @throws WrongArgument for an id that is no number, which would be another address */
function inPath(fields: readonly { name: string; kind: string }[], name: string, value: string): string {
  const isNumber = fields.some((one) => one.name === name && one.kind === 'int64');
  if (isNumber && !/^\d+$/.test(value)) throw new WrongArgument(`${name} must be a whole number.`);
  return value;
}

const pathOf = (template: string, fill: (field: string) => string) =>
  template.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(fill(field)));

function queryText(entries: readonly (readonly [string, unknown])[]): string {
  const pairs = new URLSearchParams();
  for (const [field, value] of entries)
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined)
        pairs.append(field, typeof one === 'object' ? JSON.stringify(one) : String(one));
  return pairs.toString();
}

interface ObjectSchema {
  properties: Record<string, Json>;
  required: string[];
  defs: Record<string, Json>;
}
const noSchema: ObjectSchema = { properties: {}, required: [], defs: {} };

/** The fields of a query or body, with definitions inside the schema itself. */
function objectSchema(schema: AnyOperation['query'] | undefined): ObjectSchema {
  if (!schema) return noSchema;
  const { schemas, components } = convertSchemas({ it: schema }, 'input');
  const local = JSON.parse(
    JSON.stringify({ it: schemas.it, components }).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as {
    it: Partial<ObjectSchema> & { anyOf?: Partial<ObjectSchema>[] };
    components: Record<string, Json>;
  };
  const { properties = {}, required = [] } = slim(local.it) as Partial<ObjectSchema>;
  return { properties, required, defs: slim(local.components) as Record<string, Json> };
}

/**
 * Leaves out what models have no use for, since people pay for each word: formats and ranges of integers, and that null
 * is a way to leave a field out. The operation checks all of it.
 */
function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slim);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, ...rest } = value as Json;
  if (Array.isArray(anyOf) && anyOf.length === 2 && anyOf[1]?.type === 'null') return slim({ ...anyOf[0], ...rest });
  const kept = Object.entries(rest).filter(
    ([key, one]) =>
      !(key === 'format' && /^(int|double|float)/.test(String(one))) &&
      !(key === 'pattern' && 'format' in rest) &&
      !((key === 'minimum' || key === 'maximum') && Math.abs(Number(one)) >= 2 ** 31 - 1) &&
      !(key === 'minLength' && one === 1),
  );
  return {
    ...(anyOf !== undefined && { anyOf: slim(anyOf) }),
    ...Object.fromEntries(kept.map(([key, one]) => [key, key === 'type' ? withoutNull(one) : slim(one)])),
  };
}

const withoutNull = (type: unknown) =>
  Array.isArray(type) && type.length === 2 && type[1] === 'null' ? type[0] : slim(type);
