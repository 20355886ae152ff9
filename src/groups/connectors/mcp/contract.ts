// Operations on the tools of MCP servers: find them, look at what has changed, accept it.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { boolean, fields, int32, string } from '../../../contract/types.ts';
import { McpClientDocument, McpDiscoveryDto, McpSampling, McpSettingsDto, McpToolDto } from './dto.ts';

/** Milliseconds that a discovery may take. */
const mostMs = 120_000;
/** Milliseconds that a question of a server may wait. */
const mostQuestionMs = 86_400_000;

export const connectorMcp = group(
  'Connectors',
  { id: 'ConnectorMcp', base: '/api/connectors/{id}/mcp', doc: 'Tools of MCP servers.' },
  {
    discover: op.post('/discover', {
      doc: 'Connect to the MCP server and read its tools, or read the card of an agent of A2A, which is one tool. Those of the first time are accepted unless enableNewTools is false, later ones if it is true; what has changed waits until somebody accepts it. Failures are answered as error, and stay in mcpLastError.',
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
    settings: op.get('/settings', {
      doc: 'What the server may do beside answering (ours).',
      needs: 'ConnectorsRead',
      data: McpSettingsDto,
    }),
    setSettings: op.put('/settings', {
      doc: 'Say whether the server may ask models in the middle of a call (ours): Off, Ask (a person looks at each prompt first) or Allow. What it asks is paid by the run; chats have no budget, and refuse. questionTimeoutMs is how long a question of a server of 2025 waits for a person on its open connection (30 minutes unless it was said); it stays as it is where it is left out.',
      needs: 'ConnectorsWrite',
      body: fields({ sampling: McpSampling, questionTimeoutMs: int32.min(1000).max(mostQuestionMs).nullish() }),
      data: McpSettingsDto,
    }),
  },
);

export const mcpClient = group(
  'Connectors',
  { id: 'McpClient', base: '', doc: 'This server as a client of others.' },
  {
    describe: op.get('/client-metadata.json', {
      doc: 'Describe this server as an OAuth client (Client ID Metadata Document), for servers that read it there instead of registering it (ours).',
      needs: 'public',
      reply: 'raw',
      data: McpClientDocument,
    }),
  },
);
