// The answers of operations in the OpenAPI document: the envelope around data, other media types, and errors.
import { type ErrorCode, errorStatus } from '../../kernel/error-codes.ts';
import { anthropicFailure } from '../anthropic-failure.ts';
import { openAiFailure } from '../openai-failure.ts';
import { type AnyOperation, answersOnlyStreams } from '../operation.ts';
import type { Json } from './json-schema.ts';

const nullable = (type: string, more: Json = {}): Json => ({ type: [type, 'null'], ...more });

/** The envelope of the interface around a payload. */
export function envelopeOf(data: Json): Json {
  const properties = {
    ok: { type: 'boolean' },
    requestId: { type: 'string' },
    data,
    error: nullable('string'),
    errorCode: { anyOf: [{ $ref: '#/components/schemas/ErrorCode' }, { type: 'null' }] },
    count: nullable('integer', { format: 'int32', description: 'Number of items where data is a list or a page.' }),
    hint: nullable('string', { description: 'The next useful step after a failure.' }),
    unreadMessages: {
      type: 'integer',
      format: 'int32',
      description: "Unread messages in the caller identity's inbox.",
    },
  };
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Components that every document has. */
export const sharedSchemas: Record<string, Json> = {
  ErrorCode: { type: 'string', enum: Object.keys(errorStatus) },
  ErrorEnvelope: envelopeOf({ type: 'null' }),
  ProblemDetails: {
    type: 'object',
    description: 'RFC 9457; sent to clients that ask for application/problem+json.',
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer', format: 'int32' },
      detail: { type: 'string' },
      instance: { type: 'string' },
      errorCode: { $ref: '#/components/schemas/ErrorCode' },
      hint: nullable('string'),
      requestId: { type: 'string' },
    },
    required: ['type', 'title', 'status', 'detail', 'errorCode', 'requestId'],
  },
};

const ours: Json = { errorCode: { $ref: '#/components/schemas/ErrorCode' }, hint: nullable('string') };
const texts = (...names: string[]): Json => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const object = (properties: Json): Json => ({ type: 'object', properties, required: Object.keys(properties) });

/** Failures of other APIs, in the words of their clients, with our own code and hint beside. */
const foreign = new Map<AnyOperation['failure'], { name: string; schema: Json }>([
  [
    openAiFailure,
    {
      name: 'OpenAIErrorResponse',
      schema: object({ error: object({ ...texts('message', 'type', 'code'), param: nullable('string') }), ...ours }),
    },
  ],
  [
    anthropicFailure,
    {
      name: 'AnthropicErrorResponse',
      schema: object({ error: object(texts('type', 'message')), ...texts('type', 'request_id'), ...ours }),
    },
  ],
]);

/** Components that the failures of these operations refer to. */
export const failureSchemas = (operations: readonly AnyOperation[]): Record<string, Json> =>
  Object.fromEntries(
    operations.flatMap(({ failure }) => {
      const own = foreign.get(failure);
      return own ? [[own.name, own.schema]] : [];
    }),
  );

const meanings: Record<number, string> = {
  400: 'The request cannot be read or fails validation; hint names the fields.',
  401: 'No credential, or one that cannot be used.',
  403: 'The caller may not do this; hint names the missing permission.',
  404: 'There is no such resource.',
  409: 'The state of the resource does not allow this.',
  413: 'The body is too large.',
  415: 'The body has a media type that the operation does not read.',
  429: 'Too many requests; see Retry-After.',
  500: 'A fault of the server; the log has details under requestId.',
  503: 'The server is not ready, overloaded or shutting down; see Retry-After.',
};

/** `components.responses`: one entry a status. */
export function errorResponses(): Record<string, Json> {
  const codesOf = (status: number) =>
    (Object.keys(errorStatus) as ErrorCode[]).filter((code) => errorStatus[code] === status);
  const content = {
    'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } },
    'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } },
  };
  return Object.fromEntries([
    ...Object.entries(meanings).map(([status, meaning]) => [
      `Error${status}`,
      { description: `${meaning} Codes: ${codesOf(Number(status)).join(', ')}.`, content },
    ]),
    ['Error', { description: 'Any other failure; errorCode and hint say which.', content }],
  ]);
}

const descriptions: Record<number, string> = { 201: 'It was made.', 206: 'The part that the header Range asked for.' };

/** `responses` of one operation. */
export function responsesOf(operation: AnyOperation, data: Json, hasParams: boolean): Json {
  const success = {
    ...Object.fromEntries(
      (operation.succeedsBy ?? [200]).map((status) => [
        status,
        { description: descriptions[status] ?? 'Success.', content: contentOf(operation, data) },
      ]),
    ),
    ...(isFollowed(operation) && { 204: { description: 'There is nothing to follow, or nothing more.' } }),
  };
  const own = foreign.get(operation.failure);
  if (own) {
    const schema = { $ref: `#/components/schemas/${own.name}` };
    const failure = (description: string) => ({ description, content: { 'application/json': { schema } } });
    return {
      ...success,
      '4XX': failure('The request cannot be carried out as it is; the error says why.'),
      '5XX': failure('The server or the provider has failed; the error says how.'),
    };
  }
  const statuses = [
    400,
    ...(operation.needs === 'public' ? [] : [401]),
    ...(operation.needs === 'public' || operation.needs === 'self' ? [] : [403]),
    ...(hasParams ? [404] : []),
    ...(operation.method === 'GET' ? [] : [409]),
    ...(operation.body ? [413, 415] : []),
    429,
    500,
    503,
  ];
  const errors = statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]);
  return { ...success, ...Object.fromEntries(errors), default: { $ref: '#/components/responses/Error' } };
}

/** Streams that clients come back to, as EventSource does until it is told 204. */
const isFollowed = (operation: AnyOperation) => operation.method === 'GET' && answersOnlyStreams(operation);

function contentOf(operation: AnyOperation, data: Json): Json {
  if (operation.reply === 'stream') return eventStream(data);
  if (operation.reply === 'file') return files(operation, data);
  if (operation.reply === 'raw') return { [String(operation.mediaType ?? 'application/json')]: { schema: data } };
  return {
    'application/json': { schema: envelopeOf(data) },
    ...(operation.streams ? eventStream({}) : {}),
    ...(operation.orFile ? files(operation, {}) : {}),
  };
}

const files = ({ mediaType = 'application/octet-stream' }: AnyOperation, schema: Json): Json =>
  Object.fromEntries([mediaType].flat().map((type) => [type, { schema }]));

/** Events as text; `contentSchema` is the JSON in the data of each, where the operation has one kind. */
const eventStream = (data: Json): Json => ({
  'text/event-stream': {
    schema: {
      type: 'string',
      description: 'Server-sent events.',
      ...(Object.keys(data).length > 0 ? { contentMediaType: 'application/json', contentSchema: data } : {}),
    },
  },
});
