// Agents of other servers as a part of the server.
import { part } from '../../part.ts';
import { agentTools } from './tools.ts';

export const connectorA2aPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  tenantTools: agentTools,
  samples: [],
});
