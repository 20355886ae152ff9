// Operations on the tools of MCP servers: find them, look at what has changed, accept it.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { boolean, fields, int32, string } from '../../../contract/types.ts';
import { McpDiscoveryDto, McpToolDto } from './dto.ts';

/** Milliseconds that a discovery may take. */
const mostMs = 120_000;

export const connectorMcp = group(
  'Connectors',
  { id: 'ConnectorMcp', base: '/api/connectors/{id}/mcp', doc: 'Tools of MCP servers.' },
  {
    discover: op.post('/discover', {
      doc: 'Connect to the MCP server and read its tools. Those of the first time are accepted unless enableNewTools is false, later ones if it is true; what has changed waits until somebody accepts it. Failures are answered as error, and stay in mcpLastError.',
      needs: 'ConnectorsWrite',
      timeoutMs: mostMs + 10_000,
      idempotent: false,
      body: fields({ timeoutMs: int32.min(1000).max(mostMs).nullish(), enableNewTools: boolean.nullish() }).optional(),
      data: McpDiscoveryDto,
    }),
    tools: op.get('/tools', {
      doc: 'List the tools as they were found last, with what has changed since they were accepted (ours).',
      needs: 'ConnectorsRead',
      data: z.array(McpToolDto),
    }),
    decide: op.put('/tools/{name}', {
      doc: 'Let agents use a tool as it is now, or keep them from it, also before it was found (ours). digest is that of the definition which was looked at; another one is refused.',
      needs: 'ConnectorsWrite',
      body: fields({ enabled: boolean, digest: string.max(64).nullish() }),
      data: McpToolDto,
    }),
  },
);
