// A server with one run of very many events, which goes on at a steady rate: for measuring what the page can take.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentEventDto, AgentEventType } from '../../src/client/index.ts';
import type { Exchange } from '../../src/http/adapter.ts';
import { createDashboardPages } from '../../src/http/pages/dashboard.ts';

export interface LongRunServer {
  url: string;
  /** Events sent live so far. */
  readonly sent: number;
  close(): Promise<void>;
}

const cycle: [AgentEventType, Partial<AgentEventDto>][] = [
  ['IterationStarted', {}],
  ['ModelCallStarted', { modelId: 'test:model' }],
  [
    'ModelCallCompleted',
    { message: 'I **look** at the next file and note what it says.\n\n- one\n- two', completionTokens: 40 },
  ],
  ['ToolCallStarted', { toolName: 'file_read', payloadJson: '{"argumentsJson":"{\\"path\\":\\"src/main.ts\\"}"}' }],
  ['ToolCallCompleted', { toolName: 'file_read', message: 'export const x = 1;' }],
];

function eventAt(seq: number): AgentEventDto {
  const [type, more] = cycle[(seq - 1) % cycle.length] as (typeof cycle)[number];
  const turn = Math.ceil(seq / cycle.length);
  return {
    id: seq,
    guid: '',
    runId: 1,
    rootRunId: 1,
    parentRunId: null,
    seq,
    type,
    level: 'Information',
    iteration: turn,
    title: type,
    message: null,
    toolName: null,
    toolCallId: type.startsWith('ToolCall') ? `call_${turn}` : null,
    modelId: null,
    promptTokens: null,
    completionTokens: null,
    costUsd: null,
    durationMs: null,
    payloadJson: null,
    createdAtUtc: new Date(Date.now() - 3_600_000 + seq * 40).toISOString(),
    ...more,
  };
}

const numbers = [
  'staleStepCount maxIterations maxTokens maxWallClockMs iterationsUsed tokensUsed contextBudgetTokens contextUsedTokens',
  'poolIterationBudget poolIterationsUsed poolTokenBudget poolTokensUsed promptTokens completionTokens costUsd',
  'totalTokensWithChildren totalCostWithChildren childRunCount spawnDepth',
];

function runDto(eventCount: number) {
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const zeros = Object.fromEntries(
    numbers
      .join(' ')
      .split(' ')
      .map((name) => [name, 0]),
  );
  const texts = { guid: '', role: 'worker', goal: 'Read everything', status: 'Running', identityName: 'Administrator' };
  return {
    ...zeros,
    ...texts,
    id: 1,
    identityId: 1,
    parentRunId: null,
    modelId: 'test:model',
    startedAtUtc: at,
    createdAtUtc: at,
    eventCount,
  };
}

const principal = { kind: 'User', user: null, identity: null, roles: [], permissions: ['RunsRead'], orgUnits: [] };

function answer(path: string, query: URLSearchParams, count: number): unknown {
  const now = new Date().toISOString();
  const page = (items: unknown[]) => ({
    items,
    totalCount: items.length,
    page: 1,
    pageSize: 200,
    totalPages: 1,
    hasNextPage: false,
  });
  switch (path) {
    case '/api/system/info':
      return {
        name: 'x',
        version: '0',
        commit: null,
        features: [],
        serverTimeUtc: now,
        startedAtUtc: now,
        nodeVersion: '',
      };
    case '/api/auth/me':
      return principal;
    case '/api/agent/runs/1':
      return runDto(count);
    case '/api/agent/runs/1/children':
      return page([]);
    case '/api/agent/runs/1/events': {
      const after = Number(query.get('afterSeq') ?? 0);
      const size = Math.min(Number(query.get('limit') ?? 200), count - after);
      return Array.from({ length: Math.max(0, size) }, (_, i) => eventAt(after + i + 1));
    }
    default:
      return undefined;
  }
}

/** `stored` events are there from the beginning; `perSecond` more come live. */
export async function startLongRunServer(folder: string, stored: number, perSecond: number): Promise<LongRunServer> {
  const dashboard = createDashboardPages(folder);
  let count = stored;
  const timers = new Set<ReturnType<typeof setInterval>>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (url.pathname === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': open\n\n');
      if (!url.searchParams.get('topics')?.includes('run-tree:1')) return;
      const timer = setInterval(() => {
        for (let i = 0; i < perSecond / 50; i++) {
          count += 1;
          const frame = {
            epoch: 'e',
            seq: count,
            topic: 'run-tree:1',
            type: 'run.event',
            atUtc: new Date().toISOString(),
            data: eventAt(count),
          };
          response.write(`data: ${JSON.stringify(frame)}\n\n`);
        }
      }, 20);
      timers.add(timer);
      response.on('close', () => clearInterval(timer));
      return;
    }
    const exchange = {
      method: request.method,
      path: url.pathname,
      header: (name: string) => request.headers[name],
      send: (status: number, headers: [string, string][], body: string | Uint8Array) =>
        response.writeHead(status, Object.fromEntries(headers)).end(body),
    } as unknown as Exchange;
    if (await dashboard(exchange)) return;
    response.setHeader('content-type', 'application/json');
    if (url.pathname === '/openapi/v1.json') return void response.end('{"paths":{}}');
    const data = answer(url.pathname, url.searchParams, count);
    response.statusCode = data === undefined ? 404 : 200;
    response.end(
      JSON.stringify({ ok: data !== undefined, data: data ?? null, error: 'not here', errorCode: 'NOT_FOUND' }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sent() {
      return count - stored;
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
