// A small group and an app around it, for tests of the pipeline.
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { z } from 'zod';
import type { Caller } from '../../contract/caller.ts';
import { multipart } from '../../contract/multipart.ts';
import { group, implement, op, type Service } from '../../contract/operation.ts';
import { listQuery, page, toPage } from '../../contract/page.ts';
import { boolean, dto, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Attempt, IdempotencyStore, KeptAnswer } from '../../ports/idempotency.ts';
import type { OnceScope } from '../../ports/once.ts';
import type { HttpServer } from '../adapter.ts';
import { nodeAdapter } from '../adapters/node/server.ts';
import { uwsAdapter } from '../adapters/uws/server.ts';
import { createHttpApp, type HttpApp } from '../app.ts';
import type { HttpAppOptions } from '../options.ts';

export const NoteDto = dto('SampleNoteDto', {
  id: int64,
  text: string,
  tags: z.array(string),
  weight: int32.nullable(),
});
const Filter = { q: string.max(20).optional(), ids: z.array(int64).optional(), exact: boolean.optional() };

export const notes = group(
  'Notes',
  { base: '/api/notes', doc: 'Notes for tests.' },
  {
    list: op.get('', { doc: 'List.', needs: 'MemoriesRead', query: listQuery(['id'], Filter), data: page(NoteDto) }),
    latest: op.get('/latest', { doc: 'The latest.', needs: 'self', byAnyKey: true, data: NoteDto }),
    all: op.get('/all', { doc: 'All of them.', needs: 'public', data: z.array(NoteDto) }),
    get: op.get('/{id}', { doc: 'One.', needs: 'MemoriesRead', data: NoteDto }),
    tagged: op.get('/{tag}', { doc: 'By tag.', needs: 'MemoriesRead', data: string }),
    create: op.post('', {
      doc: 'Create.',
      needs: 'MemoriesWrite',
      body: fields({ text: string.min(1).max(100), weight: int32.nullish() }),
      data: NoteDto,
    }),
    touch: op.post('/{id}/touch', { doc: 'Touch.', needs: 'MemoriesWrite', data: nothing }),
    upload: op.post('/upload', {
      doc: 'Upload.',
      needs: 'MemoriesWrite',
      body: multipart({
        fields: fields({ name: string, count: int32.optional() }),
        files: ['file'],
        maxFileBytes: 1000,
      }),
      data: dto('SampleUploadDto', { name: string, count: int32.nullable(), content: string, path: string }),
    }),
    download: op.get('/{id}/download', {
      doc: 'Bytes.',
      needs: 'self',
      byAnyKey: true,
      data: z.unknown(),
      reply: 'file',
    }),
    raw: op.get('/{id}/raw', {
      doc: 'Bare JSON.',
      needs: 'self',
      byAnyKey: true,
      data: z.object({ bare: boolean }),
      reply: 'raw',
    }),
    follow: op.post('/{id}/follow', {
      doc: 'Follow.',
      needs: 'self',
      byAnyKey: true,
      data: z.unknown(),
      reply: 'stream',
    }),
    fail: op.get('/fail/{key}', { doc: 'Fail.', needs: 'self', byAnyKey: true, data: nothing, timeoutMs: 50 }),
  },
);

interface Log {
  /** Texts that were created, in order. */
  created: string[];
  /** Let a creation end; set while one waits. */
  release: (() => void)[];
  aborted: number;
  /** Files that were let go, read or not. */
  closed: number;
}

const noteOf = (id: number, text: string) => ({ id, text, tags: [], weight: null });

const service = implement(notes, ({ log }: { log: Log }) => ({
  list: ({ query }) => toPage([noteOf(1, JSON.stringify(query))], 3, query),
  latest: ({ caller }) => noteOf(9, caller.name),
  all: () => [noteOf(1, 'a'), noteOf(2, 'b')],
  get: ({ params }) => noteOf(params.id, 'one'),
  tagged: ({ params }) => `tag ${params.tag}`,
  create: async ({ body }) => {
    if (body.text === 'refuse') throw new Fault('CONFLICT', 'Not now.', { hint: 'Later.' });
    if (body.text === 'break') throw new Error('It broke.');
    if (body.text === 'wait') await new Promise<void>((resolve) => log.release.push(resolve));
    log.created.push(body.text);
    return noteOf(log.created.length, body.text);
  },
  touch: () => null,
  upload: async ({ body }) => {
    const { file } = body.files;
    const content = file ? `${file.fileName} ${file.mediaType} ${await readFile(file.path, 'utf8')}` : '';
    return { name: body.fields.name, count: body.fields.count ?? null, content, path: file?.path ?? '' };
  },
  download: ({ params }) => ({
    kind: 'file' as const,
    mediaType: 'application/zip',
    fileName: params.id === 2 ? '../..\\etc/\r\nX: 1\u202egpj.exe' : 'nöte "1".zip',
    body: params.id === 1 ? 'whole' : file(params.id, log),
  }),
  raw: () => ({ bare: true }),
  follow: ({ params }) => ({
    kind: 'topics' as const,
    topics: [`note:${params.id}`],
    lastEventId: null,
    types: null,
    includeDeltas: true,
    replaySeconds: 0,
    heartbeatSeconds: 15,
  }),
  fail: async ({ params, request }) => {
    if (params.key === 'fault') throw new Fault('IN_USE', 'It is in use.', { hint: 'Free it.', retryAfterSeconds: 7 });
    if (params.key === 'late') {
      request.signal.addEventListener('abort', () => log.aborted++);
      await new Promise(() => undefined);
    }
    if (params.key === 'elsewhere')
      throw new Fault('CONNECTOR_ERROR', 'mail.example refused the password.', { cause: new Error('no: 535') });
    if (params.key === 'maintenance') throw new Fault('MAINTENANCE_MODE', 'Back soon.');
    if (params.key === 'shape') return 'not null' as never;
    throw new Error(`secret detail of ${params.key}`);
  },
}));

/** Like an open file: it has to be let go, also by those who read nothing of it. */
function file(count: number, log: Log): AsyncGenerator<Uint8Array> {
  const body = pieces(count);
  const leave = body.return.bind(body);
  body.return = (value) => {
    log.closed++;
    return leave(value);
  };
  return body;
}

async function* pieces(count: number) {
  for (let i = 1; i <= count; i++) {
    if (i === 5) throw new Error('the source broke');
    yield Buffer.from(`piece ${i} `);
  }
}

const caller = (name: string, permissions: Caller['permissions']): Caller => ({
  tenantId: 1,
  kind: 'IdentityKey',
  userId: 1,
  identityId: name.length,
  keyId: name.length,
  sessionId: null,
  originKeyId: name.length,
  name,
  role: 'Member',
  rank: 3,
  permissions,
  managesAccount: false,
  provenAt: null,
  expiresAt: null,
  lendsUntil: null,
});
const callers: Record<string, Caller> = {
  writer: caller('writer', new Set(['MemoriesRead', 'MemoriesWrite'])),
  guest: caller('guest', new Set()),
};

/** Answers by key in this test's memory. */
export function memoryIdempotency(): IdempotencyStore {
  const kept = new Map<string, { fingerprint: string; answer: KeptAnswer | null }>();
  return {
    claim: async (name, fingerprint) => {
      const found = kept.get(name);
      if (!found) {
        kept.set(name, { fingerprint, answer: null });
        const scope: OnceScope = {
          mark: name,
          repeated: false,
          id: (_, allocate) => allocate(),
          took: () => false,
        };
        const attempt: Attempt = {
          scope,
          complete: async (answer) => void Object.assign(kept.get(name) ?? {}, { answer }),
          release: async () => void kept.delete(name),
        };
        return { state: 'claimed', attempt };
      }
      if (found.fingerprint !== fingerprint) return { state: 'mismatch' };
      return found.answer ? { state: 'done', answer: found.answer } : { state: 'running' };
    },
    close: async () => {},
  };
}

export interface Sample {
  url: string;
  port: number;
  app: HttpApp;
  server: HttpServer;
  log: Log;
  lines: Record<string, unknown>[];
  observed: unknown[];
  close(): Promise<void>;
}

const adapters = { uws: uwsAdapter, node: nodeAdapter };

/** Serves the sample group. Keys: `writer` (may read and write) and `guest` (no permissions). */
export async function serveSample(name: 'uws' | 'node', more: Partial<HttpAppOptions> = {}): Promise<Sample> {
  const log: Log = { created: [], release: [], aborted: 0, closed: 0 };
  const lines: Record<string, unknown>[] = [];
  const observed: unknown[] = [];
  const clock: Clock = more.clock ?? systemClock;
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = createHttpApp({
    services: [service({ log }) as unknown as Service],
    clock,
    log: logger,
    authenticate: async (authorization) => {
      const found = callers[authorization.replace('Bearer ', '')];
      if (!found) throw new Fault('UNAUTHENTICATED', 'This key is not known.', { hint: 'Check the key.' });
      return found;
    },
    redeemTicket: async () => {
      throw new Fault('UNAUTHENTICATED', 'This ticket is not known.', { hint: 'Make a new one.' });
    },
    unreadMessages: () => 3,
    idempotency: memoryIdempotency(),
    openStream: async (exchange, { reply, headers }) => {
      const sink = exchange.begin(200, [['content-type', 'text/event-stream'], ...headers]);
      sink.write(`data: ${reply.kind === 'topics' ? reply.topics.join() : reply.kind}\n\n`);
      sink.end();
    },
    observe: (observation) => observed.push(observation),
    ...more,
  });
  const server = await adapters[name]({ host: '127.0.0.1', port: 0, handle: app.handle, clock });
  const close = () => server.close();
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, app, server, log, lines, observed, close };
}
