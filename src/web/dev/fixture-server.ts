// Serves the built dashboard with made-up data: `npx tsx src/web/dev/fixture-server.ts`, then open the printed address.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Exchange } from '../../http/adapter.ts';
import { createDashboardPages } from '../../http/pages/dashboard.ts';
import {
  calls,
  chatMessages,
  chats,
  diff,
  files,
  identities,
  matrix,
  models,
  points,
  providers,
  roles,
  routeList,
  tools,
  usagePoints,
} from './samples.ts';
import { makeStory } from './story.ts';

const story = makeStory();
const page = (items: unknown[]) => ({
  items,
  totalCount: items.length,
  page: 1,
  pageSize: 50,
  hasTotal: true,
  moreAvailable: false,
  totalPages: 1,
  hasNextPage: false,
  hasPreviousPage: false,
});
const now = () => new Date().toISOString();
const permissions = [
  'RunsRead',
  'RunsWrite',
  'EscalationsResolve',
  'ChatRead',
  'ChatWrite',
  'AiRouterRead',
  'AiRouterWrite',
  'AgentConfigRead',
  'IdentitiesRead',
  'IdentitiesWrite',
  'ApiKeysManage',
  'SystemRead',
  'InfrastructureRead',
];
const council = {
  id: 1,
  guid: '',
  runId: 1,
  chatSessionId: null,
  question: 'Share the cache between branches?',
  rounds: 2,
  consensusJson: JSON.stringify({ decision: 'shared, read-only', dissent: ['skeptic'] }),
  participantsJson: null,
  status: 'Consensus',
  completedAtUtc: now(),
  createdAtUtc: now(),
};

type Handler = (params: string[], query: URLSearchParams) => unknown;
const answers: Record<string, Handler> = {
  'GET /api/system/info': () => ({
    name: 'Rivulet',
    version: '0.1.0',
    commit: null,
    apiVersion: '1',
    nodeVersion: process.version,
    setupRequired: false,
    registrationMode: 'Closed',
    features: ['scripted-only'],
    maintenanceMode: false,
    realtimeUrl: '',
    socketIoPath: '',
    serverTimeUtc: now(),
    startedAtUtc: now(),
    uptimeSeconds: 86_000,
  }),
  'GET /api/system/health': () => ({
    status: 'Healthy',
    version: '0.1.0',
    uptimeSeconds: 86_000,
    eventLoopLagMs: 0.4,
    memoryRssBytes: 141_000_000,
    checkedAtUtc: now(),
  }),
  'GET /api/system/ready': () => ({
    ready: true,
    status: 'Degraded',
    maintenanceMode: false,
    checks: [
      ['store (embedded)', 'Healthy', true],
      ['model gateway', 'Degraded', true],
      ['sandbox (bwrap)', 'Healthy', false],
    ].map(([name, state, required]) => ({
      name,
      state,
      required,
      latencyMs: 0.8,
      detail: state === 'Degraded' ? 'anthropic answers slowly' : null,
    })),
    checkedAtUtc: now(),
  }),
  'GET /api/auth/me': () => ({
    kind: 'User',
    user: { id: 1, username: 'admin', displayName: 'Administrator' },
    identity: null,
    roles: [],
    permissions,
    orgUnits: [],
    sessionId: 1,
    tenantName: 'Rivulet',
    mfaEnabled: false,
    hasPassword: true,
    recoveryCodesLeft: 0,
  }),
  'GET /api/agent/runs': () => page([...story.runs.values()].filter((run) => run.parentRunId === null)),
  'GET /api/agent/runs/{}': ([id]) =>
    story.runs.get(Number(id)) && { ...story.runs.get(Number(id)), planJson: null, environmentJson: null },
  'GET /api/agent/runs/{}/children': ([id]) =>
    page([...story.runs.values()].filter((run) => run.parentRunId !== null && id === '1')),
  'GET /api/agent/runs/{}/events': ([id], query) => {
    const all = story.events.get(Number(id)) ?? [];
    const types = query.getAll('types');
    const found = all.filter(
      (event) => event.seq > Number(query.get('afterSeq') ?? 0) && (types.length === 0 || types.includes(event.type)),
    );
    return (query.get('order') === 'Descending' ? found.toReversed() : found).slice(
      0,
      Number(query.get('limit') ?? 200),
    );
  },
  'GET /api/agent/runs/{}/checkpoints': ([id]) =>
    [1, 2, 3].map((n) => ({
      id: `cp_${id}_${n}`,
      runId: Number(id),
      iteration: n,
      status: 'Running',
      tokensUsed: n * 30_000,
      costUsd: n * 0.05,
      summary: 'After the measurements',
      commitSha: null,
      sizeBytes: n * 40_000,
      createdAtUtc: now(),
    })),
  'GET /api/agent/runs/{}/notes': () =>
    page([
      {
        id: 1,
        guid: '',
        agentRunId: 1,
        taskId: null,
        type: 'Finding',
        content: 'The cache key holds the **commit**, so it never hits.',
        createdAtUtc: now(),
      },
    ]),
  'GET /api/agent/runs/{}/tasks': () =>
    page(
      ['Measure', 'Read the cache setup', 'Try a change'].map((title, index) => ({
        id: index,
        guid: '',
        agentRunId: 1,
        projectId: null,
        projectTaskId: null,
        projectTaskTitle: null,
        title,
        description: null,
        status: ['Done', 'InProgress', 'Todo'][index],
        sortOrder: index,
        createdAtUtc: now(),
      })),
    ),
  'GET /api/agent/runs/{}/messages': () =>
    page([
      {
        id: 1,
        senderId: 1,
        senderName: 'Administrator',
        content: 'Leave the web job alone until tomorrow.',
        recipients: [],
        createdAtUtc: now(),
      },
    ]),
  'GET /api/agent/runs/{}/councils': () => page([council]),
  'GET /api/agent/runs/{}/review/diff': () => diff,
  'GET /api/agent/runs/{}/review/deliverable': () => ({
    hasContract: true,
    deliverable: 'report.md',
    destination: null,
    kind: 'file',
    met: false,
    detail: 'report.md is not in the workspace yet.',
  }),
  'GET /api/agent/runs/{}/files': () => files,
  'GET /api/agent/runs/{}/files/content': (_, query) => ({
    path: query.get('path'),
    sizeBytes: 812,
    isBinary: false,
    truncated: false,
    text: 'jobs:\n  web:\n    cache:\n      key: deps-${{ hashFiles("package-lock.json") }}\n    steps:\n      - run: npm ci\n',
    modifiedAtUtc: now(),
  }),
  'GET /api/agent/escalations': (_, query) =>
    page(
      query.get('openOnly')
        ? story.escalations
        : [{ ...story.escalations[0], id: 9, status: 'Resolved', decision: 'shared', decidedBy: 'Administrator' }],
    ),
  'GET /api/agent/role-definitions': () => page(roles),
  'GET /api/agent/tool-profiles': () =>
    page([
      {
        id: 1,
        role: 'engineer',
        roleDefinitionId: 1,
        name: 'careful',
        description: 'Reads freely, asks before it writes.',
        safeTools: ['file_read', 'file_list', 'run_note'],
        optInTools: ['shell_exec', 'file_write'],
        blockedTools: ['http_fetch'],
        sandboxedTools: ['shell_exec'],
        discoveryEnabled: false,
      },
    ]),
  'GET /api/agent/tools': () => tools,
  'GET /api/agent/analytics': () => ({
    modelId: null,
    role: null,
    totalRuns: 482,
    completedRuns: 431,
    failedRuns: 33,
    successRate: 0.894,
    avgIterations: 11.4,
    avgTokensUsed: 152_000,
    totalCostUsd: 118.42,
    avgDurationMs: 412_000,
    avgFeedbackScore: 4.1,
  }),
  'GET /api/agent/analytics/timeseries': () => ({ points }),
  'GET /api/agent/analytics/matrix': () => matrix,
  'GET /api/chat/sessions': () => page(chats),
  'GET /api/chat/sessions/{}': ([id]) => ({ ...chats.find((one) => one.id === Number(id)), messages: chatMessages }),
  'GET /api/ai-router/providers': () => page(providers),
  'GET /api/ai-router/models': () => page(models),
  'GET /api/ai-router/routes': () => page(routeList),
  'GET /api/ai-router/health': () =>
    providers.map((one) => ({
      providerId: one.id,
      providerName: one.name,
      modelId: null,
      healthState: one.healthState,
      circuitState: 'Closed',
      windowMinutes: 60,
      calls: 412,
      failures: 3,
      errorRate: 0.007,
      latencyP50Ms: 840,
      latencyP95Ms: 2100,
      timeToFirstTokenP50Ms: 310,
      tokensPerSecond: 88,
      inFlight: 2,
      circuitOpenUntilUtc: null,
      lastError: null,
      lastSuccessAtUtc: now(),
      lastCheckedAtUtc: now(),
    })),
  'GET /api/ai-router/usage': () => ({
    fromUtc: now(),
    toUtc: now(),
    groupBy: 'Model',
    totalCalls: 5210,
    failedCalls: 31,
    fallbackCalls: 12,
    promptTokens: 41_000_000,
    completionTokens: 3_100_000,
    cacheReadTokens: 22_000_000,
    costUsd: 118.4,
    avgLatencyMs: 920,
    latencyP95Ms: 2400,
    avgTimeToFirstTokenMs: 330,
    rows: models.map((one) => ({
      key: one.modelId,
      label: one.modelId,
      calls: 1700,
      failedCalls: 9,
      promptTokens: 12_000_000,
      completionTokens: 900_000,
      cacheReadTokens: 0,
      costUsd: 39.4,
      avgLatencyMs: 870,
      errorRate: 0.005,
    })),
  }),
  'GET /api/ai-router/usage/timeseries': () => ({ fromUtc: now(), toUtc: now(), bucket: 'Hour', points: usagePoints }),
  'GET /api/ai-router/usage/calls': () => page(calls),
  'GET /api/identities': () => page(identities),
  'GET /api/identities/{}': ([id]) => identities.find((one) => one.id === Number(id)),
  'GET /api/identities/{}/api-keys': () =>
    page([
      {
        id: 1,
        guid: '',
        identityId: 1,
        name: 'laptop',
        prefix: 'rvt_9f',
        last4: 'k2Qz',
        scopes: [],
        isActive: true,
        expiresAtUtc: null,
        lastUsedAtUtc: now(),
        lastUsedIp: null,
        rotatedFromKeyId: null,
        revokedAtUtc: null,
        createdByUserId: 1,
        createdAtUtc: now(),
      },
    ]),
  'GET /api/ws/connections': () =>
    page([
      {
        id: 'c1',
        transport: 'WebSocket',
        nodeId: 'n1',
        userId: 1,
        identityId: null,
        principalName: 'Administrator',
        remoteIp: '127.0.0.1',
        userAgent: '',
        topics: ['runs', 'run-tree:1', 'me'],
        messagesIn: 4,
        messagesOut: 5121,
        bytesOut: 3_300_000,
        bufferedBytes: 0,
        droppedCount: 0,
        lagSeq: 0,
        connectedAtUtc: new Date(Date.now() - 400_000).toISOString(),
        lastSeenAtUtc: now(),
      },
    ]),
};
const others = [
  'GET /api/agent/runs/{}/sandbox/stream',
  'POST /api/agent/escalations/{}/resolve',
  'POST /api/agent/runs/{}/messages',
  'POST /api/agent/runs/{}/feedback',
  'POST /api/agent/runs/{}/pool',
  'POST /api/chat/sessions',
  'POST /api/chat/sessions/{}/chat/stream',
  'GET /api/chat/sessions/{}/stream',
  'PATCH /api/chat/messages/{}/feedback',
  'POST /api/demo/run',
  'POST /api/ai-router/providers',
  'GET /api/ai-router/providers/{}/keys',
  'POST /api/ai-router/routes/{}/explain',
];

function openApi() {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of [...Object.keys(answers), ...others]) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: {} };
  }
  return { paths };
}

const terminal = [
  '$ python3 measure.py --builds 20\n',
  '\u001b[32minstall\u001b[0m 402 s ±11\n\u001b[32mbuild\u001b[0m   105 s ±4\n\u001b[33mtest\u001b[0m    331 s ±27\n',
  '$ npm run build\n',
  '\u001b[31merror\u001b[0m: ENOSPC: no space left on device\n',
];

function stream(url: URL, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (url.pathname.endsWith('/sandbox/stream')) {
    for (const [seq, text] of terminal.entries()) {
      response.write(
        `id: e.${seq}\nevent: chunk\ndata: ${JSON.stringify({ runId: 1, seq, stream: 'Stdout', text, toolCallId: null, exitCode: seq === 3 ? 1 : null, atUtc: now() })}\n\n`,
      );
    }
    return;
  }
  response.write(': open\n\n');
  const words =
    'Trying the new key on one job first: the warm build takes four minutes less than the cold one, and '.split(' ');
  const topics = url.searchParams.get('topics') ?? '';
  if (!topics.includes('run-tree:1')) return;
  let seq = 0;
  const timer = setInterval(() => {
    seq += 1;
    const data = {
      runId: 3,
      rootRunId: 1,
      iteration: 4,
      index: seq,
      kind: seq < 24 ? 'Reasoning' : 'Content',
      delta: `${words[seq % words.length]} `,
      toolCallId: null,
      modelId: 'openai:gpt-5-mini',
    };
    const event = { epoch: 'f', seq, topic: 'run-tree:1', type: 'run.delta', atUtc: now(), data };
    response.write(`id: run-tree:1=f.${seq}\ndata: ${JSON.stringify(event)}\n\n`);
  }, 90);
  response.on('close', () => clearInterval(timer));
}

const dashboard = createDashboardPages(fileURLToPath(new URL('../../../dist/web', import.meta.url)));

async function serve(request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://x');
  if (request.headers.accept === 'text/event-stream') return stream(url, response);
  if (url.pathname === '/openapi/v1.json') return void response.end(JSON.stringify(openApi()));
  const exchange = {
    method: request.method,
    path: url.pathname,
    header: (name: string) => request.headers[name],
    send: (status: number, headers: [string, string][], body: string | Uint8Array) =>
      response.writeHead(status, Object.fromEntries(headers)).end(body),
  } as unknown as Exchange;
  if (await dashboard(exchange)) return;
  const params: string[] = [];
  const exact = answers[`${request.method} ${url.pathname}`];
  const shape = url.pathname.replace(/\/(\d+)(?=\/|$)/g, (_, id: string) => {
    params.push(id);
    return '/{}';
  });
  const data = (exact ?? answers[`${request.method} ${shape}`])?.(params, url.searchParams);
  const ok = data !== undefined;
  response.writeHead(ok ? 200 : 404, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      ok,
      requestId: 'fixture',
      data: data ?? null,
      error: ok ? null : 'Not in the fixture.',
      errorCode: ok ? null : 'NOT_FOUND',
      hint: null,
      unreadMessages: 0,
    }),
  );
}

const port = Number(process.argv[2] ?? 7799);
createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${port}`),
);
