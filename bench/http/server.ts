// One server under load: our whole pipeline on an adapter, or a bare Fastify route with the same data.
import fastify from 'fastify';
import { z } from 'zod';
import { group, implement, op, type Service } from '../../src/contract/operation.ts';
import { dto, fields, int32, int64, string } from '../../src/contract/types.ts';
import { chooseAdapter } from '../../src/http/adapters/choose.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { createLogger, silentLogger } from '../../src/kernel/logger.ts';

const [mode = 'uws', logging = 'silent'] = process.argv.slice(2);

/** About 1 KB as JSON. */
const data = {
  id: 42,
  title: 'A run that looks into the logs and reports what it finds',
  body: 'x'.repeat(700),
  tags: ['one', 'two', 'three'],
  size: 12,
};

const RunDto = dto('BenchRunDto', { id: int64, title: string, body: string, tags: z.array(string), size: int32 });
const runs = group(
  'Bench',
  { base: '/api/runs', doc: 'One read.' },
  {
    get: op.get('/{id}', {
      doc: 'One run.',
      needs: 'RunsRead',
      query: fields({ detail: int32.optional() }),
      data: RunDto,
    }),
  },
);
const service = implement(runs, () => ({ get: async ({ params }) => ({ ...data, id: params.id }) }));

async function ours(): Promise<number> {
  const caller = {
    tenantId: 1,
    kind: 'IdentityKey' as const,
    userId: 1,
    identityId: 1,
    keyId: 1,
    sessionId: null,
    name: 'bench',
    permissions: new Set(['RunsRead'] as const),
    expiresAt: null,
  };
  const app = createHttpApp({
    services: [service({}) as unknown as Service],
    clock: systemClock,
    log: logging === 'silent' ? silentLogger : createLogger({ level: 'info', pretty: false }),
    authenticate: async (authorization) => {
      if (authorization !== 'Bearer bench') throw new Fault('UNAUTHENTICATED', 'Unknown key.');
      return caller;
    },
    redeemTicket: () => Promise.reject(new Fault('UNAUTHENTICATED', 'No tickets here.')),
    unreadMessages: () => 0,
    idempotency: {
      claim: async () => ({ state: 'claimed' }),
      complete: async () => undefined,
      release: async () => undefined,
    },
    openStream: async () => undefined,
    limits: { perCaller: createRateLimiter({ perSecond: 1e9, burst: 1e9, clock: systemClock }) },
  });
  const { adapter } = await chooseAdapter(mode as 'uws' | 'node');
  return (await adapter({ host: '127.0.0.1', port: 0, handle: app.handle })).port;
}

async function bare(): Promise<number> {
  const server = fastify();
  server.get<{ Params: { id: string } }>('/api/runs/:id', async (request) => ({
    ...data,
    id: Number(request.params.id),
  }));
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as { port: number }).port;
}

process.send?.({ port: await (mode === 'fastify' ? bare() : ours()) });
let before = process.cpuUsage();
process.on('message', (message) => {
  if (message === 'start') before = process.cpuUsage();
  else {
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpuMicroseconds: user + system });
  }
});
