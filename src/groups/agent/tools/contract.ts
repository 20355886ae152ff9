// The tools that runs can call.
import { z } from 'zod';
import { ToolRisk, ToolSource } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { fields, int64, string } from '../../../contract/types.ts';
import { AgentToolInfo } from '../dto.ts';

export const agentTools = group(
  'Agent',
  { id: 'AgentTools', base: '/api/agent/tools', doc: 'Tools that runs can call.' },
  {
    list: op.get('', {
      doc: 'List tools with their argument schemas and risk.',
      needs: 'AgentConfigRead',
      query: fields({
        q: string.max(200).optional(),
        category: string.max(200).optional(),
        source: ToolSource.optional(),
        risk: ToolRisk.optional(),
        identityId: int64.optional(),
      }),
      data: z.array(AgentToolInfo),
    }),
  },
);
