// Requests of JSON-RPC at /mcp as clients of each era send them, for what no client of others speaks yet.
import { sseReader } from '../../src/http/mcp/sse-reader.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Answer = any;

/** What the client of a request of the newer era says of itself when it takes tasks. */
export const takesTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
/** The same for a client that can ask its person, too. */
export const asksAndTakesTasks = { ...takesTasks, elicitation: {} };

/** One request at a server's /mcp with this key; what it answers, or its error. */
async function send(url: string, key: string, message: object, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const text = await response.text();
  const said: string[] = [];
  sseReader((data) => said.push(data))(`${text}\n\n`);
  const { result, error } = JSON.parse(said.at(-1) ?? text);
  return error ?? result;
}

/** A request of 2025-11-25. */
export const in2025 = (url: string, key: string, method: string, params: Answer = {}): Promise<Answer> =>
  send(url, key, { method, params }, { 'mcp-protocol-version': '2025-11-25' });

/** A request of 2026-07-28, from a client that can do this. */
export function in2026(
  url: string,
  key: string,
  method: string,
  params: Answer,
  capabilities: object = asksAndTakesTasks,
): Promise<Answer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const name = { 'mcp-name': params.taskId ?? params.name ?? '' };
  return send(url, key, { method, params: { ...params, _meta } }, { ...headers, ...name });
}
