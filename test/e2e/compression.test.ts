// Large answers are compressed for clients that take it, on both transports; small ones and those of others are not.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, transports } from '../support/test-server.ts';

describe.each(transports)('answers on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport });
    for (let n = 0; n < 20; n++) await server.call('POST', '/api/agent/runs', { goal: `Count to ${n}.` });
  });
  afterAll(() => server.close());

  /** The answer as it came over the wire. */
  const get = (path: string, encoding: string, method = 'GET') =>
    new Promise<{ headers: IncomingMessage['headers']; bytes: Buffer }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.key}`, 'accept-encoding': encoding };
      httpRequest(`${server.url}${path}`, { method, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
      })
        .on('error', reject)
        .end();
    });

  it.each(['/api/agent/runs', '/openapi/v1.json', '/docs'])(
    'of %s are a quarter of the size and the same',
    async (path) => {
      const plain = await get(path, 'identity');
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect(plain.headers.vary).toContain('accept-encoding');
      const packed = await get(path, 'gzip, deflate, br');
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
      const same = (text: string) => text.replace(/"requestId":"[^"]+"/, '');
      expect(same(gunzipSync(packed.bytes).toString())).toBe(same(plain.bytes.toString()));
      expect((await get(path, 'gzip;q=0')).headers).not.toHaveProperty('content-encoding');
      expect((await get(path, 'gzip', 'HEAD')).bytes).toHaveLength(0);
    },
  );

  it('stay as they are where they are small', async () => {
    expect((await get('/api/system/info', 'gzip')).headers).not.toHaveProperty('content-encoding');
  });
});
