// Forms with files through the pipeline of a small app: whole, broken, too large and aborted; nothing is left on disk.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipart } from '../../src/contract/multipart.ts';
import { group, implement, op, type Service } from '../../src/contract/operation.ts';
import { dto, fields, int32, string } from '../../src/contract/types.ts';
import type { HttpServer } from '../../src/http/adapter.ts';
import { chooseAdapter } from '../../src/http/adapters/choose.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { silentLogger as log } from '../../src/kernel/logger.ts';
import { openRaw } from '../support/raw-socket.ts';
import { transports } from '../support/test-server.ts';

const maxFileBytes = 200_000;
const files = group(
  'Files',
  { base: '/api/files', doc: 'Files.' },
  {
    put: op.post('', {
      doc: 'Take a file.',
      needs: 'public',
      body: multipart({ fields: fields({ title: string.min(1) }), files: ['file'], maxFileBytes }),
      data: dto('TakenDto', { title: string, bytes: int32, folderEntries: int32 }),
    }),
  },
);
const filesService = implement(files, () => ({
  put: ({ body }) => {
    const { file } = body.files;
    const bytes = file ? readFileSync(file.path).length : 0;
    return { title: body.fields.title, bytes, folderEntries: readdirSync(tmpdir()).length };
  },
}));
const never = async () => {
  throw new Error('not part of this');
};

describe.each(transports)('uploads on %s', (transport) => {
  let server: HttpServer;
  let folder: string;
  const before = process.env.TMPDIR;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rivulet-uploads-'));
    process.env.TMPDIR = folder;
    const app = createHttpApp({
      services: [filesService({}) as unknown as Service],
      clock,
      log,
      authenticate: never,
      redeemTicket: never,
      openStream: never,
      unreadMessages: () => 0,
      idempotency: { claim: never, close: never },
    });
    const { adapter } = await chooseAdapter(transport);
    server = await adapter({ host: '127.0.0.1', port: 0, handle: app.handle });
  });
  afterAll(async () => {
    await server.close();
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (body: BodyOf, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/files`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  type BodyOf = NonNullable<RequestInit['body']>;
  const form = (parts: Record<string, string | Blob>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(parts)) data.append(name, value);
    return data;
  };
  const nothingLeft = () => expect.poll(() => readdirSync(folder)).toEqual([]);

  it('takes a whole form', async () => {
    const answer = await post(form({ title: 'a', file: new Blob(['x'.repeat(150_000)]) }));
    expect(answer).toMatchObject({ status: 200, body: { data: { title: 'a', bytes: 150_000, folderEntries: 1 } } });
    await nothingLeft();
  });

  it.each<[string, () => BodyOf, number, string]>([
    ['without a field', () => form({ file: new Blob(['x']) }), 400, 'VALIDATION_FAILED'],
    ['with an unknown field', () => form({ title: 'a', other: 'b' }), 400, 'VALIDATION_FAILED'],
    ['with a field named __proto__', () => form(JSON.parse('{"title":"a","__proto__":"b"}')), 400, 'VALIDATION_FAILED'],
    ['with an unknown file', () => form({ title: 'a', other: new Blob(['x']) }), 400, 'VALIDATION_FAILED'],
    ['with two files', twoFiles, 400, 'VALIDATION_FAILED'],
    [
      'with a file that is too large',
      () => form({ title: 'a', file: new Blob(['x'.repeat(300_000)]) }),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('refuses a form %s', async (_, make, status, errorCode) => {
    expect(await post(make())).toMatchObject({ status, body: { errorCode, hint: expect.stringMatching(/\w/) } });
    await nothingLeft();
  });

  it.each([
    ['no form', 'application/json', '{}', 415],
    ['a form without a boundary', 'multipart/form-data', 'x', 400],
    [
      'a form that ends early',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      400,
    ],
    ['noise', 'multipart/form-data; boundary=b', '\0\x01\x02nothing of a form', 400],
    ['nothing', 'multipart/form-data; boundary=b', '', 400],
  ])('refuses %s', async (_, type, body, status) => {
    const answer = await post(body, { 'content-type': type });
    expect(answer).toMatchObject({ status, body: { ok: false, hint: expect.stringMatching(/\w/) } });
    await nothingLeft();
  });

  it('removes what came of uploads that are aborted', async () => {
    const head =
      'POST /api/files HTTP/1.1\r\nHost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n' +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const raws = await Promise.all(Array.from({ length: 20 }, () => openRaw(server.port)));
    for (const raw of raws) raw.write(head + 'x'.repeat(50_000));
    await expect.poll(() => readdirSync(folder).length).toBe(20);
    for (const raw of raws) raw.socket.resetAndDestroy();
    await nothingLeft();
    await expect.poll(() => server.inFlight).toBe(0);
  });
});

function twoFiles(): FormData {
  const data = new FormData();
  data.append('title', 'a');
  for (const name of ['a', 'b']) data.append('file', new Blob(['x']), name);
  return data;
}
