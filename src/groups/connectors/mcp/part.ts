// The tools of MCP servers as a part of the server.
import { part } from '../../part.ts';
import { createMcpBook } from './book.ts';
import { connectorMcp } from './contract.ts';
import { mcpToolRecord } from './record.ts';
import { connectorMcpService } from './service.ts';
import { mcpTools } from './tools.ts';

export const connectorMcpPart = part({
  records: [mcpToolRecord],
  contracts: [connectorMcp],
  serve: (deps) => [connectorMcpService({ book: createMcpBook(deps), clock: deps.clock })],
  tenantTools: mcpTools,
  // Tools are found on servers, not made.
  samples: [],
});
