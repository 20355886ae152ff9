// MCP servers of tests: one whose tools may change, and those that hang, lie or never end.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';

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
    for (const [name, { description, annotations, inputSchema, answer, asks }] of Object.entries(host.tools)) {
      const schema = fromJsonSchema(inputSchema ?? { type: 'object', properties: { text: { type: 'string' } } });
      const config = { ...(description && { description }), ...(annotations && { annotations }), inputSchema: schema };
      server.registerTool(name, config, async (args, { mcpReq }) => {
        host.calls.push({ name, args });
        if (asks && !mcpReq.inputResponses)
          return inputRequired({ inputRequests: { form: inputRequired.elicit(asks as never) }, requestState: 'state' });
        if (asks) return { content: [{ type: 'text', text: JSON.stringify(mcpReq.inputResponses) }] };
        return { content: [{ type: 'text', text: (await answer?.(args as Record<string, unknown>)) ?? 'done' }] };
      });
    }
    return server;
  });
  const server = createServer((request, response) => {
    host.headers = request.headers;
    if (host.instead) host.instead(request, response);
    else serve(handler.fetch, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host: McpHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    ...{ tools, resources: {}, prompts: {}, calls: [], headers: {}, instead: null },
    close: async () => {
      server.closeAllConnections();
      await Promise.all([handler.close(), new Promise((done) => server.close(done))]);
    },
  };
  return host;
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

/** Answers JSON-RPC by hand: what `results` has for a method, in the era before 2026. */
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
      const answer = result === undefined ? { error: { code: -32_601, message: `no ${method}` } } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  };

export const greeting = () => ({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'by hand', version: '1' },
});
