// Builds the OpenAPI 3.1 document of a set of groups.
import type { z } from 'zod';
import { isMultipart } from '../multipart.ts';
import { type AnyOperation, bodyIsOptional, type Group, idempotencyKey } from '../operation.ts';
import { maxTextLength, segmentsOf } from '../path.ts';
import { convertSchemas, type Json, renameRefs } from './json-schema.ts';
import { errorResponses, failureSchemas, responsesOf, sharedSchemas } from './responses.ts';

export interface Entry {
  group: Group;
  operation: AnyOperation;
  path: string;
  /** The path as it is declared, where the document names its parameters otherwise. */
  template?: string;
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
  for (const entry of withSharedShapes(entries)) {
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
      schemas: { ...sharedSchemas, ...failureSchemas(entries.map(({ operation }) => operation)), ...components },
      responses: errorResponses(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An identity key (rvt_…) or an access token (JWT).' },
      },
    },
  };
}

/**
 * Gives paths of one shape one template: OpenAPI knows `/profiles/{id}` and `/profiles/{role}` as the same path, which
 * becomes `/profiles/{idOrRole}`.
 */
function withSharedShapes(entries: Entry[]): Entry[] {
  const shapeOf = (path: string) => path.replace(/\{[^}]+\}/g, '{}');
  const templates = new Map<string, Set<string>>();
  for (const { path } of entries) {
    const shape = shapeOf(path);
    templates.set(shape, (templates.get(shape) ?? new Set()).add(path));
  }
  return entries.map((entry) => {
    const [first, ...others] = templates.get(shapeOf(entry.path)) ?? [];
    if (first === undefined || others.length === 0) return entry;
    const path = segmentsOf(first).map((segment, at) => {
      if (segment.kind === 'literal') return segment.text;
      const names = [first, ...others]
        .map((other) => segmentsOf(other)[at])
        .flatMap((one) => (one && 'name' in one ? [one.name] : []));
      return `{${joined([...new Set(names)])}}`;
    });
    return { ...entry, template: entry.path, path: `/${path.join('/')}` };
  });
}

const joined = ([first = '', ...others]: string[]) =>
  [first, ...others.map((name) => name.charAt(0).toUpperCase() + name.slice(1))].join('Or');

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

function describe(entry: Entry, inputs: Record<string, Json>, outputs: Record<string, Json>) {
  const { group, operation, id } = entry;
  const params = pathParameters(entry);
  const parameters = [
    ...params,
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

function pathParameters({ path, template = path }: Entry): Json[] {
  const declared = segmentsOf(template);
  return segmentsOf(path).flatMap((segment, at) => {
    if (segment.kind === 'literal') return [];
    const schema =
      declared[at]?.kind === 'int64' ? idParameter : { type: 'string', minLength: 1, maxLength: maxTextLength };
    return [{ name: segment.name, in: 'path', required: true, schema }];
  });
}

/** JSON numbers hold integers up to 2^53 - 1 exactly. */
const idParameter: Json = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

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
  const header = (name: string, description: string, schema: Json = {}) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...schema },
  });
  return [
    ...(operation.method === 'POST' && operation.idempotent !== false
      ? [
          header('Idempotency-Key', 'Repeats of a request with the same key get the first answer again.', {
            pattern: idempotencyKey.source,
          }),
        ]
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
    const form = operation.takesForm ? { 'application/x-www-form-urlencoded': { schema } } : {};
    return { requestBody: { required, content: { ...form, 'application/json': { schema } } } };
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
