// Serves the built dashboard with made-up data: `npx tsx src/web/dev/fixture-server.ts`, then open the printed address.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Exchange } from '../../http/adapter.ts';
import { createDashboardPages } from '../../http/pages/dashboard.ts';
import { answers, now } from './answers.ts';

function openApi() {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of Object.keys(answers)) {
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
