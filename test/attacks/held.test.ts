// What held when it was attacked, so that it goes on holding: forged tokens, tickets, foreign pages, smuggled requests,
// pages made of what users wrote, and addresses inside the network.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { openRaw } from '../support/raw-socket.ts';
import { type Answer, request, startTestServer, type TestServer, transports } from '../support/test-server.ts';

const password = 'correct horse battery staple';

describe.each(transports)('on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport, RIVULET_TRUSTED_PROXIES: '127.0.0.1' });
    await server.call('POST', '/api/users/me/password', { currentPassword: '', newPassword: password });
  });
  afterAll(() => server.close());

  let number = 0;
  /** Each from an address of its own: those who guess are held back, which is another test. */
  const elsewhere = () => ({ 'x-forwarded-for': `2001:db8:${(++number).toString(16)}::1` });
  const as = (token: string, method: string, path: string, body?: unknown) =>
    request(server.url, method, path, body, { authorization: `Bearer ${token}`, ...elsewhere() });
  const login = async () =>
    (await request(server.url, 'POST', '/api/auth/login', { login: 'admin', password }, elsewhere())).body.data;

  describe('a forged access token', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

    it('is refused, whatever is changed of a real one', async () => {
      const { accessToken } = await login();
      const [head, body, signature] = accessToken.split('.') as [string, string, string];
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
      const later = { ...claims, exp: claims.exp + 86_400 };
      const signed = (algorithm: string, key: string, payload: object) => {
        const unsigned = `${part({ alg: algorithm, typ: 'JWT' })}.${part(payload)}`;
        return `${unsigned}.${createHmac('sha256', key).update(unsigned).digest('base64url')}`;
      };
      const forged = [
        `${part({ alg: 'none', typ: 'JWT' })}.${body}.`,
        `${part({ alg: 'none', typ: 'JWT' })}.${body}.${signature}`,
        `${head}.${part(later)}.${signature}`,
        `${head}.${part({ ...claims, sub: '2' })}.${signature}`,
        `${head}.${part({ ...claims, tid: 2 })}.${signature}`,
        `${head}.${part({ ...claims, sid: claims.sid + 1 })}.${signature}`,
        `${head}.${body}.`,
        `${head}.${body}`,
        `${head}.${body}.${signature.slice(0, -4)}AAAA`,
        `${part({ alg: 'HS512', typ: 'JWT' })}.${body}.${signature}`,
        `${part({ alg: 'HS256', typ: 'JWT', kid: '../../dev/null' })}.${body}.${signature}`,
        `${part({ alg: 'HS256', typ: 'JWT', jku: `${server.url}/keys` })}.${body}.${signature}`,
        ...['', 'secret', 'rivulet', 'null'].map((key) => signed('HS256', key, later)),
        jwt.sign({ ...later, iss: 'other' }, 'x'.repeat(32)),
      ];
      for (const token of forged) await failure(as(token, 'GET', '/api/auth/me'), 401, 'UNAUTHENTICATED');
      expect((await as(accessToken, 'GET', '/api/auth/me')).status).toBe(200);
    });
  });

  describe('refresh tokens and tickets', () => {
    it('are good once, also under many simultaneous tries', async () => {
      const { refreshToken } = await login();
      const refresh = () => request(server.url, 'POST', '/api/auth/refresh', { refreshToken }, elsewhere());
      const answers = await Promise.all(Array.from({ length: 20 }, refresh));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      const { ticket } = (await server.call('POST', '/api/ws/tickets', { topics: ['runs'] })).body.data;
      const redeem = async () => {
        const abort = new AbortController();
        const { status } = await fetch(`${server.url}/api/events?topics=runs&ticket=${ticket}`, {
          signal: abort.signal,
          headers: elsewhere(),
        });
        abort.abort();
        return status;
      };
      const statuses = await Promise.all(Array.from({ length: 20 }, redeem));
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    });

    it('are no credentials where they do not belong', async () => {
      const { refreshToken } = await login();
      await failure(as(refreshToken, 'GET', '/api/auth/me'), 401, 'UNAUTHENTICATED');
      const { ticket } = (await server.call('POST', '/api/ws/tickets', {})).body.data;
      await failure(as(ticket, 'GET', '/api/auth/me'), 401, 'UNAUTHENTICATED');
      await failure(request(server.url, 'GET', `/api/auth/me?ticket=${ticket}`), 401, 'UNAUTHENTICATED');
    });
  });

  describe('a page of another origin', () => {
    it('sends no write with the cookie of this one, and reads nothing', async () => {
      const login = await request(
        server.url,
        'POST',
        '/api/auth/login',
        { login: 'admin', password, useCookie: true },
        elsewhere(),
      );
      const cookie = (login.headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
      expect(login.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/);
      const foreign = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      for (const [method, path, body] of [
        ['POST', '/api/auth/refresh', undefined],
        ['POST', '/api/auth/logout', undefined],
        ['POST', '/api/agent/runs', { goal: 'x' }],
        ['GET', '/api/auth/me', undefined],
      ] as const) {
        const answer = await request(server.url, method, path, body, foreign);
        expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      }
      // A form of another page can send no JSON, and no other type is taken for it.
      const form = { ...foreign, 'content-type': 'text/plain', authorization: `Bearer ${server.key}` };
      expect((await request(server.url, 'POST', '/api/agent/runs', '{"goal":"x"}', form)).status).toBe(415);
    });
  });

  describe('a request inside another one', () => {
    const inner = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{"goal":"smuggled"}`;
    it.each([
      ['two lengths', () => 'Content-Length: 5\r\nContent-Length: 0\r\n\r\n'],
      ['a length and chunks', () => 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['chunks by another name', () => 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
      ['chunks before a colon', () => 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
      ['a folded header', () => 'X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['a negative length', () => 'Content-Length: -1\r\n\r\n'],
      ['a length with a sign', () => 'Content-Length: +5\r\n\r\n'],
    ])('is not carried out: %s', async (_, rest) => {
      const before = (await server.call('GET', '/api/agent/runs')).body.count;
      const socket = await openRaw(server.port);
      socket.write(
        `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${rest()}${inner('/api/agent/runs')}`,
      );
      socket.socket.end();
      const said = await socket.closed;
      expect(said).not.toMatch(/^HTTP\/1\.1 200/m);
      expect((await server.call('GET', '/api/agent/runs')).body.count).toBe(before);
    });
  });

  describe('what users wrote', () => {
    const payloads = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "javascript:alert('x')",
      '<svg/onload=alert(1)>',
      '</script><script>alert(1)</script>',
      '{{constructor.constructor("alert(1)")()}}',
      '\u2028</textarea><iframe srcdoc="<script>alert(1)</script>">',
    ];
    const never = (answer: Answer) => {
      expect(answer.headers.get('content-type')).not.toMatch(/html|svg|xml|javascript/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    };

    it('is never answered as a page, and nothing guesses that it were one', async () => {
      for (const goal of payloads) {
        const run = await server.call('POST', '/api/agent/runs', { goal });
        never(run);
        never(await server.call('GET', `/api/agent/runs/${run.body.data.id}`));
        never(await server.call('GET', `/api/agent/runs?q=${encodeURIComponent(goal)}`));
        never(await server.call('GET', `/api/agent/role-definitions/by-name/${encodeURIComponent(goal)}`));
        never(await request(server.url, 'GET', `/api/${encodeURIComponent(goal)}`));
      }
    });

    it('comes back from attachments as a download or in a sandbox', async () => {
      const { id } = (await server.call('POST', '/api/chat/sessions', { modelId: 'scripted:echo' })).body.data;
      const base64 = Buffer.from('<script>alert(1)</script>').toString('base64');
      for (const mimeType of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript']) {
        const attachments = [{ kind: 'File', name: 'page.html', mimeType, base64 }];
        const asked = await server.call('POST', `/api/chat/sessions/${id}/chat`, { message: 'x', attachments });
        if (asked.status >= 400) continue;
        const { items } = (await server.call('GET', `/api/chat/sessions/${id}/messages?pageSize=200`)).body.data;
        const { id: messageId } = items.findLast(({ role }: { role: string }) => role === 'user');
        const answer = await server.call('GET', `/api/chat/messages/${messageId}/attachments/0`);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        const harmless =
          /^attachment/.test(answer.headers.get('content-disposition') ?? '') ||
          /sandbox|script-src 'none'|default-src 'none'/.test(answer.headers.get('content-security-policy') ?? '');
        expect([mimeType, harmless]).toEqual([mimeType, true]);
      }
    });
  });

  describe('an address inside the network', () => {
    const metadata = [
      'http://169.254.169.254/v1',
      'http://[fd00:ec2::254]/v1',
      'http://metadata.google.internal/v1',
      'http://2852039166/v1',
      'http://0xa9fea9fe/v1',
      'http://[::ffff:169.254.169.254]/v1',
    ];
    it.each(metadata)('of a cloud’s metadata is no provider: %s', async (baseUrl) => {
      const body = { name: `Meta ${transport} ${baseUrl}`, kind: 'OpenAiCompatible', baseUrl };
      await failure(server.call('POST', '/api/ai-router/providers', body), 400, 'VALIDATION_FAILED');
    });

    it('is not reached by a redirect of a provider', async () => {
      const asked: string[] = [];
      const inside = createServer((incoming, response) => {
        asked.push(incoming.url ?? '');
        response.end('{}');
      });
      await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
      const away = createServer((_, response) => {
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
      });
      await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(away.address() as AddressInfo).port}/v1`;
      const made = await server.call('POST', '/api/ai-router/providers', {
        name: `Away ${transport}`,
        kind: 'OpenAiCompatible',
        baseUrl,
        apiKey: 'sk-away',
      });
      const tested = await server.call('POST', `/api/ai-router/providers/${made.body.data.id}/test`, {});
      expect(tested.body.data?.ok ?? false).toBe(false);
      expect(asked).toEqual([]);
      await Promise.all([inside, away].map((one) => new Promise((resolve) => one.close(resolve))));
    });
  });
});
