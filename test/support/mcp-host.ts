// MCP servers of tests: one whose tools may change, and those that hang, lie or never end.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export interface HostedTool {
  description?: string;
  annotations?: Record<string, boolean>;
  inputSchema?: Record<string, unknown>;
  answer?: (args: Record<string, unknown>) => string | Promise<string>;
  /** A form that it asks before it answers; `answer` then gets what was filled in. */
  asks?: {
    message: string;
    requestedSchema: { type: 'object'; properties: Record<string, object>; required?: string[] };
  };
  /** What it wants of its client before it answers, by name: it then answers with what it got. */
  wants?: Record<string, { method: string; params?: object }>;
}

export interface McpHost {
  url: string;
  /** By name; may be changed at any time. */
  tools: Record<string, HostedTool>;
  /** Resources by their address, and prompts by name: both with a text. */
  resources: Record<string, string>;
  prompts: Record<string, string>;
  /** Calls that have come, by the name of the tool. */
  calls: { name: string; args: unknown }[];
  /** Headers of the last request. */
  headers: IncomingMessage['headers'];
  /** Stands instead of the server while it is set. */
  instead: RequestListener | null;
  /** Stands before the server: true for what it has answered itself. */
  guard: ((request: IncomingMessage, response: ServerResponse) => Promise<boolean>) | null;
  close(): Promise<void>;
}

/** A server of the official SDK, in both eras. */
export async function startMcpHost(tools: Record<string, HostedTool>): Promise<McpHost> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'hosted', version: '1' });
    for (const [uri, text] of Object.entries(host.resources))
      server.registerResource(uri, uri, {}, () => ({ contents: [{ uri, text }] }));
    for (const [name, text] of Object.entries(host.prompts))
      server.registerPrompt(name, {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }));
    for (const [name, { description, annotations, inputSchema, answer, asks, wants }] of Object.entries(host.tools)) {
      const schema = fromJsonSchema(inputSchema ?? { type: 'object', properties: { text: { type: 'string' } } });
      const config = { ...(description && { description }), ...(annotations && { annotations }), inputSchema: schema };
      server.registerTool(name, config, async (args, { mcpReq }) => {
        host.calls.push({ name, args });
        if (asks && !mcpReq.inputResponses)
          return inputRequired({ inputRequests: { form: inputRequired.elicit(asks as never) }, requestState: 'state' });
        if (wants && !mcpReq.inputResponses)
          return inputRequired({ inputRequests: wants as never, requestState: 'state' });
        if (asks || wants) return { content: [{ type: 'text', text: JSON.stringify(mcpReq.inputResponses) }] };
        return { content: [{ type: 'text', text: (await answer?.(args as Record<string, unknown>)) ?? 'done' }] };
      });
    }
    return server;
  });
  const guarded = async (request: IncomingMessage, response: ServerResponse) => {
    if (!(await host.guard?.(request, response))) await serve(handler.fetch, request, response);
  };
  const server = createServer((request, response) => {
    host.headers = request.headers;
    if (host.instead) host.instead(request, response);
    else guarded(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host: McpHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    ...{ tools, resources: {}, prompts: {}, calls: [], headers: {}, instead: null, guard: null },
    close: async () => {
      server.closeAllConnections();
      await Promise.all([handler.close(), new Promise((done) => server.close(done))]);
    },
  };
  return host;
}

/** Of the official SDK, a server of 2025 with sessions: its tool asks this form while its call is open, and answers with what it was told. */
export function askingInSessions(asks: NonNullable<HostedTool['asks']>, heard: unknown[] = []): RequestListener {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const begin = async () => {
    const server = new McpServer({ name: 'in sessions', version: '1' });
    const annotations = { readOnlyHint: true };
    server.registerTool('ask', { annotations }, async ({ mcpReq }) => {
      heard.push('tools/call');
      const told = await mcpReq.elicitInput({ mode: 'form', ...asks } as never);
      heard.push(told);
      return { content: [{ type: 'text', text: JSON.stringify(told) }] };
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  return async (request, response) => {
    const transport = sessions.get(String(request.headers['mcp-session-id'])) ?? (await begin());
    await serve((asked) => transport.handleRequest(asked), request, response);
  };
}

async function serve(
  answer: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {};
  const asked = new Request(`http://localhost${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    signal: gone.signal,
    ...body,
  });
  const { status, headers: given, body: sent } = await answer(asked);
  response.writeHead(status, Object.fromEntries(given));
  if (sent) Readable.fromWeb(sent as never).pipe(response);
  else response.end();
}

interface Failed {
  failed?: { code: number; message: string; data?: object };
}

/** Answers JSON-RPC by hand: what `results` has for a method, or its `failed`, in the era before 2026. */
export const answering =
  (results: Record<string, (params: Record<string, unknown>) => unknown>): RequestListener =>
  (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString());
      if (id === undefined) return response.writeHead(202).end();
      const result = results[method]?.(params ?? {});
      const failed = result === undefined ? { code: -32_601, message: `no ${method}` } : (result as Failed).failed;
      const answer = failed ? { error: failed } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  };

export const greeting = () => ({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'by hand', version: '1' },
});

/**
 * By hand, a server of 2025 whose tools ask of their client on the stream of their call: what `asking` says for the
 * arguments. Calls are answered once as many as `together` have heard; a tool answers with what it was told, and
 * `heard` keeps the calls, what each was told, and what was cancelled.
 */
export function askingOnStreams(
  asking: (args: Record<string, unknown>) => { method: string; params: object },
  together: number,
  { annotations = { readOnlyHint: true } as object, heard = [] as unknown[] } = {},
): RequestListener {
  let count = 0;
  const held = new Map<string, { id: unknown; response: ServerResponse; heard?: unknown }>();
  const send = (response: ServerResponse, message: object) =>
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const plain = answering({
    initialize: greeting,
    'tools/list': () => ({
      tools: [{ name: 'ask', annotations, inputSchema: { type: 'object' } }],
    }),
  });
  return async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { id, method, params, result, error } = text === '' ? {} : JSON.parse(text);
    const asked = held.get(id);
    if (method === 'tools/call' || method === 'notifications/cancelled') heard.push(method);
    if (method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Of its own: several clients number their calls alike.
      const question = `question ${++count}`;
      held.set(question, { id, response });
      send(response, { id: question, ...asking(params.arguments) });
    } else if (asked) {
      response.writeHead(202).end();
      asked.heard = result ?? { refused: error };
      heard.push(asked.heard);
      const answered = [...held.entries()].filter(([, { heard }]) => heard);
      if (answered.length < together) return;
      for (const [key, one] of answered) {
        held.delete(key);
        send(one.response, { id: one.id, result: { content: [{ type: 'text', text: JSON.stringify(one.heard) }] } });
        one.response.end();
      }
    } else plain(Object.assign(Readable.from([Buffer.from(text)]), { method: request.method }) as never, response);
  };
}
