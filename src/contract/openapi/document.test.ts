import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { multipart } from '../multipart.ts';
import { openAiFailure } from '../openai-failure.ts';
import { group, op } from '../operation.ts';
import { listQuery, page } from '../page.ts';
import { dateTime, double, dto, fields, float, int32, int64, nothing, oneOf, string, uuid } from '../types.ts';
import { buildOpenApi } from './document.ts';

const Kind = oneOf('DocumentKind', 'A B');
const Item = dto('DocumentItemDto', {
  id: int64,
  guid: uuid,
  kind: Kind.nullable(),
  size: int32,
  ratio: double,
  part: float.nullable(),
  at: dateTime.nullable(),
  inner: z.record(z.string(), z.unknown()).nullable(),
});
const Shared = dto('DocumentSharedDto', { size: int32.default(1) });

const items = group(
  'Items',
  { base: '/api/items', doc: 'Items.' },
  {
    list: op.get('', {
      doc: 'List.',
      needs: 'RunsRead',
      query: listQuery(['id'], { kind: Kind.optional() }),
      data: page(Item),
    }),
    create: op.post('', {
      doc: 'Create.',
      needs: 'RunsWrite',
      body: fields({ shared: Shared, name: string.optional() }),
      data: Shared,
    }),
    find: op.get('/{id}/by/{key}', { doc: 'Find.', needs: 'public', data: z.array(Item) }),
    upload: op.post('/upload', {
      doc: 'Upload.',
      needs: 'self',
      body: multipart({ fields: fields({ name: string }), files: ['file'], maxFileBytes: 1 }),
      data: nothing,
      idempotent: false,
    }),
    zip: op.get('/zip', { doc: 'Zip.', needs: 'self', data: z.unknown(), reply: 'file', mediaType: 'application/zip' }),
    follow: op.get('/follow', { doc: 'Follow.', needs: 'self', data: z.array(Item), streams: true }),
    either: op.get('/either', {
      doc: 'Either.',
      needs: 'self',
      data: Item,
      orFile: true,
      mediaType: 'application/zip',
    }),
    raw: op.get('/raw', { doc: 'Raw.', needs: 'self', data: Item, reply: 'raw' }),
  },
);
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
const document: any = buildOpenApi([items], { version: '1.2.3' });
const okOf = (path: string, method = 'get') => document.paths[path][method].responses[200].content;

describe('buildOpenApi', () => {
  it('names operations, tags and permissions', () => {
    const { operationId, tags, summary, security, ...more } = document.paths['/api/items'].get;
    expect([operationId, tags, summary, security, more['x-permission']]).toEqual([
      'Items_list',
      ['Items'],
      'List.',
      undefined,
      'RunsRead',
    ]);
    expect(document.paths['/api/items/{id}/by/{key}'].get.security).toEqual([]);
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3']);
  });

  it('puts every answer in the whole envelope', () => {
    const { schema } = okOf('/api/items')['application/json'];
    const names = ['ok', 'requestId', 'data', 'error', 'errorCode', 'count', 'hint', 'unreadMessages'];
    expect(Object.keys(schema.properties)).toEqual(names);
    expect(schema.required).toEqual(names);
    expect(schema.properties.error.type).toEqual(['string', 'null']);
    expect(schema.properties.data).toEqual({ $ref: '#/components/schemas/PagedResultOfDocumentItemDto' });
    expect(okOf('/api/items/raw')['application/json'].schema).toEqual({ $ref: '#/components/schemas/DocumentItemDto' });
  });

  it('names every media type of an answer that may be a file', () => {
    expect(Object.keys(okOf('/api/items/either'))).toEqual(['application/json', 'application/zip']);
    expect(Object.keys(okOf('/api/items/zip'))).toEqual(['application/zip']);
  });

  it('says formats, enumerations and what may be null', () => {
    const { properties } = document.components.schemas.DocumentItemDto;
    expect(properties).toMatchObject({
      id: { type: 'integer', format: 'int64' },
      guid: { type: 'string', format: 'uuid' },
      kind: { anyOf: [{ $ref: '#/components/schemas/DocumentKind' }, { type: 'null' }] },
      size: { type: 'integer', format: 'int32' },
      ratio: { type: 'number', format: 'double' },
      part: { type: ['number', 'null'], format: 'float' },
      at: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(document.components.schemas.DocumentKind).toEqual({ type: 'string', enum: ['A', 'B'] });
  });

  it('tells a schema as input from the same schema as output', () => {
    expect(document.components.schemas.DocumentSharedDto.required).toEqual(['size']);
    expect(document.components.schemas.DocumentSharedDtoInput.required).toBeUndefined();
    const { requestBody } = document.paths['/api/items'].post;
    expect(requestBody.content['application/json'].schema.properties.shared.$ref).toMatch(/DocumentSharedDtoInput$/);
  });

  it('lists parameters of path, query and headers', () => {
    type Parameter = { in: string; name: string; required: boolean; schema: { type: string } };
    const of = (path: string, method: string) =>
      document.paths[path][method].parameters.map((p: Parameter) => [p.in, p.name, p.required, p.schema.type]);
    expect(of('/api/items/{id}/by/{key}', 'get')).toEqual([
      ['path', 'id', true, 'integer'],
      ['path', 'key', true, 'string'],
    ]);
    expect(of('/api/items', 'get').slice(0, 2)).toEqual([
      ['query', 'page', false, 'integer'],
      ['query', 'pageSize', false, 'integer'],
    ]);
    expect(of('/api/items', 'post')).toEqual([['header', 'Idempotency-Key', false, 'string']]);
    const [id, key] = document.paths['/api/items/{id}/by/{key}'].get.parameters;
    expect(id.schema).toMatchObject({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
    expect(key.schema).toMatchObject({ minLength: 1, maxLength: expect.any(Number) });
    const { schema } = document.paths['/api/items'].post.parameters[0];
    expect([new RegExp(schema.pattern).test('a b'), new RegExp(schema.pattern).test('a-b')]).toEqual([false, true]);
    expect(of('/api/items/follow', 'get')).toEqual([
      ['query', 'lastEventId', false, 'string'],
      ['query', 'ticket', false, 'string'],
      ['header', 'Last-Event-ID', false, 'string'],
    ]);
    expect(document.paths['/api/items/upload'].post.parameters).toBeUndefined();
  });

  it('describes forms, files and streams by their media types', () => {
    const form = document.paths['/api/items/upload'].post.requestBody.content['multipart/form-data'].schema;
    expect(form.properties).toMatchObject({ name: { type: 'string' }, file: { type: 'string', format: 'binary' } });
    expect(Object.keys(okOf('/api/items/zip'))).toEqual(['application/zip']);
    expect(Object.keys(okOf('/api/items/follow'))).toEqual(['application/json', 'text/event-stream']);
    expect(document.paths['/api/items/follow'].get.responses['204']).toBeUndefined();
    const followed = op.get('/follow', { doc: 'x', needs: 'self', data: Item, reply: 'stream' });
    const stream = group('Stream', { base: '/api/stream', doc: 'x' }, { followed });
    // biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
    const other: any = buildOpenApi([stream], { version: '1' });
    expect(Object.keys(other.paths['/api/stream/follow'].get.responses)).toContain('204');
  });

  it('refers only to what is there', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs)
      expect(
        ref.split('/').reduce((at, key) => at?.[key], document),
        ref,
      ).toBeDefined();
  });

  it('tells every status that can come, and the failures of other APIs in their own schema', () => {
    const { responses } = document.paths['/api/items'].post;
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '409', '503', 'default']));
    const foreign = op.post('', { doc: 'x', needs: 'self', data: Item, reply: 'raw', failure: openAiFailure });
    const chat = group('Chat', { base: '/v1/chat', doc: 'x' }, { create: foreign });
    // biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
    const other: any = buildOpenApi([chat], { version: '1' });
    const own = other.paths['/v1/chat'].post.responses;
    expect(Object.keys(own)).toEqual(['200', '4XX', '5XX']);
    expect(own['4XX'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/OpenAIErrorResponse' });
    expect(other.components.schemas.OpenAIErrorResponse.properties.error.properties).toHaveProperty('param');
  });

  it('tells by which statuses an operation succeeds, where that is not 200 alone', () => {
    const register = op.post('', { doc: 'x', needs: 'public', data: Item, reply: 'raw', succeedsBy: [201] });
    const file = { data: Item, reply: 'file', mediaType: '*/*', succeedsBy: [200, 206] } as const;
    const download = op.get('/file', { doc: 'x', needs: 'public', ...file });
    // biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
    const { paths }: any = buildOpenApi([group('Parts', { base: '/parts', doc: 'x' }, { register, download })], {
      version: '1',
    });
    const successes = (responses: object) => Object.keys(responses).filter((status) => status < '300');
    expect(successes(paths['/parts'].post.responses)).toEqual(['201']);
    const { responses } = paths['/parts/file'].get;
    expect(successes(responses)).toEqual(['200', '206']);
    expect(responses[206].content).toEqual(responses[200].content);
    expect(Object.keys(responses[206].content)).toEqual(['*/*']);
  });

  it('gives paths of one shape one template', () => {
    const profiles = group(
      'Profiles',
      { base: '/api/profiles', doc: 'x' },
      {
        replace: op.put('/{id}', { doc: 'x', needs: 'self', data: nothing }),
        find: op.get('/{role}', { doc: 'x', needs: 'self', data: nothing }),
      },
    );
    // biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
    const { paths }: any = buildOpenApi([profiles], { version: '1' });
    expect(Object.keys(paths)).toEqual(['/api/profiles/{idOrRole}']);
    const { put, get } = paths['/api/profiles/{idOrRole}'];
    expect([put.parameters[0].schema.type, get.parameters[0].schema.type]).toEqual(['integer', 'string']);
  });

  it('refuses what is declared twice', () => {
    const twin = group(
      'Twins',
      { base: '/api/items', doc: 'x' },
      { other: op.get('', { doc: 'x', needs: 'self', data: nothing }) },
    );
    expect(() => buildOpenApi([items, twin], { version: '1' })).toThrow(/declared twice/);
    expect(() => buildOpenApi([items, items], { version: '1' })).toThrow(/declared twice/);
  });
});
