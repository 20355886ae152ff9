// The tools of MCP servers as a part of the server.
import { part } from '../../part.ts';
import { createMcpBook } from './book.ts';
import { connectorMcp, mcpClient } from './contract.ts';
import { mcpToolRecord } from './record.ts';
import { connectorMcpService } from './service.ts';
import { mcpClientService } from './sign-in.ts';
import { mcpTools } from './tools.ts';

export const connectorMcpPart = part({
  records: [mcpToolRecord],
  contracts: [connectorMcp, mcpClient],
  serve: (deps) => [connectorMcpService({ book: createMcpBook(deps), clock: deps.clock }), mcpClientService(deps)],
  tenantTools: mcpTools,
  // Tools are found on servers, not made.
  samples: [],
});
