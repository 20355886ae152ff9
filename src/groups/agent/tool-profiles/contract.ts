// Tool profiles: which tools the agents of a role may use, and which of them need an approval.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, fields, int64, string } from '../../../contract/types.ts';
import { AgentToolProfileDto } from '../dto.ts';

const label = string.trim().min(1).max(100);
const pattern = string.max(200).regex(/^(?:[\w.:/-]+\*?|\*)$/, 'a tool name, or the beginning of one and a trailing *');
const tools = z.array(pattern).max(500);
const about = { role: label, name: label, roleDefinitionId: int64.nullish(), description: string.max(2000).nullish() };

export const agentToolProfiles = group(
  'Agent',
  { id: 'AgentToolProfiles', base: '/api/agent/tool-profiles', doc: 'Which tools the agents of a role may use.' },
  {
    list: op.get('', {
      doc: 'List tool profiles.',
      needs: 'AgentConfigRead',
      query: listQuery(['role', 'name', 'id'], { q: string.max(200).optional(), roleDefinitionId: int64.optional() }),
      data: page(AgentToolProfileDto),
    }),
    create: op.post('', {
      doc: 'Create a tool profile; blocked tools win over opt-in ones, which need an approval a call, and those over safe ones. With discoveryEnabled, tools that it does not name may be used too.',
      needs: 'AgentConfigWrite',
      body: fields({
        ...about,
        safeTools: tools.nullish(),
        optInTools: tools.nullish(),
        blockedTools: tools.nullish(),
        sandboxedTools: tools.nullish(),
        discoveryEnabled: boolean.nullish(),
      }),
      data: AgentToolProfileDto,
    }),
    replace: op.put('/{id}', {
      doc: 'Replace a tool profile; running agents follow it from their next turn on.',
      needs: 'AgentConfigWrite',
      body: fields({
        ...about,
        safeTools: tools,
        optInTools: tools,
        blockedTools: tools,
        sandboxedTools: tools,
        discoveryEnabled: boolean,
      }),
      data: AgentToolProfileDto,
    }),
    byRole: op.get('/{role}', {
      doc: 'The tool profile that runs of a role use unless they name another: the oldest of the role.',
      needs: 'AgentConfigRead',
      data: AgentToolProfileDto,
    }),
  },
);
