// Builds the OpenAPI 3.1 document of a set of groups.
import type { z } from 'zod';
import { isMultipart } from '../multipart.ts';
import { type AnyOperation, bodyIsOptional, type Group } from '../operation.ts';
import { segmentsOf } from '../path.ts';
import { convertSchemas, type Json, renameRefs } from './json-schema.ts';
import { errorResponses, responsesOf, sharedSchemas } from './responses.ts';

export interface Entry {
  group: Group;
  operation: AnyOperation;
  path: string;
  id: string;
}

/** Every operation of the groups with its whole path and operationId. */
export function entriesOf(groups: readonly Group[]): Entry[] {
  return groups.flatMap((group) =>
    Object.entries(group.operations).map(([key, operation]) => ({
      group,
      operation: operation as AnyOperation,
      path: group.base + operation.path,
      id: `${group.id}_${key}`,
    })),
  );
}

/**
 * Builds the document; 80 ms for the whole interface, so callers keep it.
 *
 * @throws Error for a repeated operationId, a repeated path, or two schemas of one name
 */
export function buildOpenApi(groups: readonly Group[], about: { version: string; serverUrl?: string }): Json {
  const entries = entriesOf(groups);
  const { inputs, outputs, components } = convertAll(entries);
  const paths: Record<string, Json> = {};
  const seen = new Set<string>();
  for (const entry of entries) {
    const item = paths[entry.path] ?? {};
    paths[entry.path] = item;
    const method = entry.operation.method.toLowerCase();
    if (item[method] || seen.has(entry.id)) throw new Error(`${entry.id}: ${method} ${entry.path} is declared twice`);
    seen.add(entry.id);
    item[method] = describe(entry, inputs, outputs);
  }
  const tags = new Map(groups.map((group) => [group.name, { name: group.name, description: group.doc }]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rivulet',
      version: about.version,
      description: 'Runs AI agents and streams everything that happens.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.serverUrl ?? '/' }],
    security: [{ bearer: [] }],
    tags: [...tags.values()],
    paths,
    components: {
      schemas: { ...sharedSchemas, ...components },
      responses: errorResponses(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An identity key (rvt_…) or an access token (JWT).' },
      },
    },
  };
}

/** Converts all schemas; a named schema whose input differs from its output becomes a second component, `…Input`. */
function convertAll(entries: Entry[]) {
  const wanted = { input: {} as Record<string, z.ZodType>, output: {} as Record<string, z.ZodType> };
  for (const { id, operation } of entries) {
    wanted.output[id] = operation.data;
    if (operation.query) wanted.input[`${id}.query`] = operation.query;
    if (operation.body)
      wanted.input[`${id}.body`] = isMultipart(operation.body) ? operation.body.fields : operation.body;
  }
  const output = convertSchemas(wanted.output, 'output');
  const input = convertSchemas(wanted.input, 'input');
  const differing = Object.keys(input.components).filter(
    (name) => output.components[name] && !same(output.components[name], input.components[name]),
  );
  const names = new Map(differing.map((name) => [name, `${name}Input`]));
  const renamed = Object.entries(renameRefs(input.components, names)).map(([name, schema]) => [
    names.get(name) ?? name,
    schema,
  ]);
  return {
    inputs: renameRefs(input.schemas, names),
    outputs: output.schemas,
    components: { ...Object.fromEntries(renamed), ...output.components } as Record<string, Json>,
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function describe({ group, operation, path, id }: Entry, inputs: Record<string, Json>, outputs: Record<string, Json>) {
  const params = segmentsOf(path).filter((segment) => segment.kind !== 'literal');
  const parameters = [
    ...params.map(({ name, kind }) => ({
      name,
      in: 'path',
      required: true,
      schema: kind === 'int64' ? { type: 'integer', format: 'int64', minimum: 0 } : { type: 'string' },
    })),
    ...withStreamFields(operation, queryParameters(inputs[`${id}.query`])),
    ...headerParameters(operation),
  ];
  const needs = operation.needs;
  return {
    operationId: id,
    tags: [group.name],
    summary: operation.doc,
    ...(needs === 'public' || needs === 'self'
      ? {}
      : { description: `Needs the permission ${needs}.`, 'x-permission': needs }),
    ...(needs === 'public' ? { security: [] } : {}),
    ...(parameters.length ? { parameters } : {}),
    ...requestBody(operation, inputs[`${id}.body`]),
    responses: responsesOf(operation, outputs[id] ?? {}, params.length > 0),
  };
}

function queryParameters(query: Json | undefined): Json[] {
  const properties = (query?.properties ?? {}) as Record<string, Json>;
  const required = new Set((query?.required ?? []) as string[]);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }));
}

/** What every event stream takes besides its own fields; see `src/http/stream-query.ts`. */
const streamParameters: readonly (readonly [name: string, description: string])[] = [
  ['lastEventId', 'Cursor to resume from, where the header Last-Event-ID cannot be sent.'],
  ['ticket', 'A ticket of POST /api/ws/tickets, where the header Authorization cannot be sent.'],
];

function withStreamFields(operation: AnyOperation, own: Json[]): Json[] {
  if (operation.method !== 'GET' || !(operation.reply === 'stream' || operation.streams)) return own;
  const missing = streamParameters.filter(([name]) => !own.some((parameter) => parameter.name === name));
  return [
    ...own,
    ...missing.map(([name, description]) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ];
}

function headerParameters(operation: AnyOperation): Json[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(operation.method === 'POST' && operation.idempotent !== false
      ? [header('Idempotency-Key', 'Repeats of a request with the same key get the first answer again.')]
      : []),
    ...(operation.reply === 'stream' || operation.streams
      ? [header('Last-Event-ID', 'Cursor to resume an event stream from.')]
      : []),
  ];
}

function requestBody(operation: AnyOperation, schema: Json | undefined): Json {
  const { body } = operation;
  if (!body || !schema) return {};
  if (!isMultipart(body)) {
    const required = !(body as z.ZodType).safeParse(undefined).success && !bodyIsOptional(body);
    return { requestBody: { required, content: { 'application/json': { schema } } } };
  }
  const files = body.files.map((name: string) => [name, { type: 'string', format: 'binary' }]);
  const properties = { ...(schema.properties as Json | undefined), ...Object.fromEntries(files) };
  return {
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: { ...schema, properties } } },
    },
  };
}
