// One server under load, as a child process: tells its port, then its CPU time whenever it is asked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { createAccessTokens } from '../../src/auth/jwt.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { setUp } from '../../src/auth/setup.ts';
import { createSignInLinks } from '../../src/auth/sign-in-links.ts';
import { loadConfig } from '../../src/config.ts';
import type { Service } from '../../src/contract/operation.ts';
import { group, implement, op } from '../../src/contract/operation.ts';
import { boolean, dateTime, dto, fields, int64, string } from '../../src/contract/types.ts';
import { chooseAdapter } from '../../src/http/adapters/choose.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { createPolicies } from '../../src/ports/tenant-policy.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { openStorage } from '../../src/wiring/storage.ts';

const key = 'rvt_key-of-the-benchmark-0123456789012';
const item = (id: number) => ({
  id,
  goal: 'Find out why the build is slow, and say what would make it twice as fast.',
  status: 'Running',
  role: 'worker',
  modelId: 'openai:gpt-5-mini',
  tokensUsed: 48_213,
  costUsd: '0.0143',
  createdAtUtc: '2026-01-01T00:00:00.000Z',
  requestToolDebrief: false,
});

const ItemDto = dto('ItemDto', {
  id: int64,
  goal: string,
  status: string,
  role: string,
  modelId: string,
  tokensUsed: int64,
  costUsd: string,
  createdAtUtc: dateTime,
  requestToolDebrief: boolean,
});
const items = group(
  'Items',
  { base: '/api/items', doc: 'What is read.' },
  {
    get: op.get('/{id}', {
      doc: 'One.',
      needs: 'RunsRead',
      query: fields({ full: boolean.optional() }),
      data: ItemDto,
    }),
  },
);
const itemsService = implement(items, () => ({ get: async ({ params }) => item(params.id) }));

/** The pipeline with what the server gives it: keys from the store, limits, metrics and the access log. */
async function serveRivulet(transport: 'uws' | 'node') {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = loadConfig({ RIVULET_DATA: folder });
  const log = createLogger({ level: 'info', pretty: false });
  const { auth, db, ids, idempotency } = await openStorage({ config, clock, log });
  const policies = createPolicies({ db, clock });
  const tokens = createAccessTokens({ secret: config.secret, clock });
  const links = createSignInLinks({ secret: config.secret, clock });
  const sessions = createSessions({ auth, ids, tokens, links, policies, clock, accessChanged: () => {} });
  await setUp({ auth, ids, clock, secret: config.secret, sessions }, { adminKey: key });
  const seconds = createMetrics().histogram('seconds', 'Duration.', ['route', 'method', 'status'], [0.001, 0.01, 0.1]);
  const never = async () => {
    throw new Error('not part of this');
  };
  const tokensOfClients = () => {
    throw new Error('not part of this');
  };
  const app = createHttpApp({
    services: [itemsService({}) as unknown as Service],
    clock,
    log,
    authenticate: createAuthenticator({ auth, tokens, oauthTokens: { verify: tokensOfClients }, policies, clock })
      .authenticate,
    redeemTicket: never,
    openStream: never,
    unreadMessages: () => 0,
    idempotency,
    limits: { perCaller: createRateLimiter({ limit: { perSecond: 1e9, burst: 1e9 }, clock }) },
    observe: ({ route, method, status, seconds: taken }) => seconds({ route, method, status: String(status) }, taken),
  });
  const { adapter } = await chooseAdapter(transport);
  return (await adapter({ host: '127.0.0.1', port: 0, handle: app.handle })).port;
}

/** A bare route: no key, no limits; its own log lines only when asked for. */
async function serveFastify(logger: boolean) {
  const app = fastify({ logger });
  app.get<{ Params: { id: string } }>('/api/items/:id', async ({ params }) => ({
    ok: true,
    requestId: '00000000-0000-4000-8000-000000000000',
    data: item(Number(params.id)),
    error: null,
    errorCode: null,
    count: null,
    hint: null,
    unreadMessages: 0,
  }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as { port: number }).port;
}

const kind = process.argv[2];
const port = await (kind?.startsWith('fastify')
  ? serveFastify(kind === 'fastify-logging')
  : serveRivulet(kind === 'uws' ? 'uws' : 'node'));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
process.on('disconnect', () => process.exit());
process.send?.({ port, key });
