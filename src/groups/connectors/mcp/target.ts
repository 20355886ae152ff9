// Where an MCP server of a connector is, and what it is shown.
import { Fault } from '../../../kernel/fault.ts';
import type { McpSignedIn } from '../../../outside/mcp/authorization.ts';
import type { McpTarget } from '../../../outside/mcp/connection.ts';
import type { ProgramOf } from '../../../outside/mcp/program-transport.ts';
import type { Opened } from '../book.ts';
import type { ConnectorDoc } from '../record.ts';

/**
 * @param signedIn - whose tokens are shown; null where the credentials themselves are
 * @throws Fault NOT_CONFIGURED for what cannot be reached this way
 */
export function targetOf(doc: ConnectorDoc, opened: Opened, signedIn: McpSignedIn | null): McpTarget {
  if (doc.mcpTransportType === 'Stdio') return { kind: 'Stdio', program: programOf(doc, opened) };
  const to = { url: urlOf(doc), kind: kindOf(doc) };
  if (signedIn) return { ...to, signedIn, headers: opened.headers };
  return { ...to, headers: { ...opened.headers, ...credentialsOf(doc, opened) } };
}

/** An agent of A2A. @throws Fault NOT_CONFIGURED */
export const agentTargetOf = (doc: ConnectorDoc, opened: Opened) => ({
  url: urlOf({ baseUrl: doc.baseUrl, mcpEndpoint: null }),
  headers: { ...opened.headers, ...credentialsOf(doc, opened) },
});

function urlOf({ baseUrl, mcpEndpoint }: Pick<ConnectorDoc, 'baseUrl' | 'mcpEndpoint'>): URL {
  const base = baseUrl ?? undefined;
  const text = mcpEndpoint ?? base;
  if (text === undefined || !URL.canParse(text, base))
    throw notConfigured(
      'This connector says no address.',
      'Give its baseUrl, with mcpEndpoint as a path of it: PATCH /api/connectors/{id}.',
    );
  const url = new URL(text, base);
  // Its credentials are for the server of baseUrl.
  if (base !== undefined && url.origin !== new URL(base).origin)
    throw notConfigured('mcpEndpoint leads to another server than baseUrl.', 'Give a path, or leave one of them out.');
  return url;
}

/** The command stands as mcpEndpoint; credentials are its environment. */
function programOf({ _id, tenantId, mcpEndpoint, authMethod }: ConnectorDoc, { credentials }: Opened): ProgramOf {
  if (!mcpEndpoint)
    throw notConfigured(
      'This connector says no command.',
      'Give it as mcpEndpoint, such as "npx -y @modelcontextprotocol/server-everything": PATCH /api/connectors/{id}.',
    );
  const odd = Object.keys(credentials).find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (authMethod !== 'None' || odd !== undefined)
    throw notConfigured(
      'The credentials of a command are its environment.',
      'Use authMethod None, and credentials such as {"API_KEY":"…"}.',
    );
  return { tenantId, name: `connector-${_id}`, command: mcpEndpoint, env: credentials };
}

function kindOf({ mcpTransportType }: ConnectorDoc): 'StreamableHttp' | 'Sse' {
  if (mcpTransportType === 'WebSocket')
    throw notConfigured('MCP has no transport over WebSockets.', 'Use StreamableHttp or Sse.');
  return mcpTransportType === 'Sse' ? 'Sse' : 'StreamableHttp';
}

/** @throws Fault NOT_CONFIGURED for a method that these servers are not called with */
function credentialsOf({ authMethod }: ConnectorDoc, { credentials }: Opened): Record<string, string> {
  const { token, key, username, password, header = 'x-api-key' } = credentials;
  switch (authMethod) {
    case 'None':
      return {};
    case 'BearerToken':
      return token ? { authorization: `Bearer ${token}` } : {};
    case 'ApiKey':
      return key ? { [header]: key } : {};
    case 'Basic':
      return username ? { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` } : {};
    default:
      throw notConfigured(
        `MCP servers and agents are not called with ${authMethod}.`,
        'Use BearerToken, ApiKey, Basic or None, or headers of your own.',
      );
  }
}

const notConfigured = (message: string, hint: string) => new Fault('NOT_CONFIGURED', message, { hint, isFinal: true });
