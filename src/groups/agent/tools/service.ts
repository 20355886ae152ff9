// Lists the tools that runs can call.
import type { Engine } from '../../../../runtime/engine.ts';
import { implement } from '../../../contract/operation.ts';
import { agentTools } from './contract.ts';

export const agentToolsService = implement(agentTools, ({ engine }: { engine: Pick<Engine, 'listTools'> }) => ({
  list: async ({ caller, query }) => {
    const wanted = query.q?.toLowerCase();
    const tools = await engine.listTools(caller.tenantId, query.identityId);
    return tools.filter(
      (tool) =>
        (query.source === undefined || tool.source === query.source) &&
        (query.risk === undefined || tool.risk === query.risk) &&
        (query.category === undefined || tool.category === query.category) &&
        (wanted === undefined || `${tool.name} ${tool.displayName} ${tool.description}`.toLowerCase().includes(wanted)),
    );
  },
}));
