// Files that tell other agents how to work as an identity, or with this server.
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int64, string } from '../../contract/types.ts';

const query = fields({ projectId: int64.optional(), download: boolean.optional() });
const file = { needs: 'IdentitiesRead', query, data: string, reply: 'file', mediaType: 'text/markdown' } as const;

export const agentFiles = group(
  'AgentFiles',
  { base: '/api/identities', doc: 'Files that tell other agents how to work as an identity.' },
  {
    ownAgents: op.get('/agents.md', { doc: 'AGENTS.md for your own identity.', ...file }),
    ownClaude: op.get('/claude.md', { doc: 'CLAUDE.md for your own identity.', ...file }),
    agents: op.get('/{id}/agents.md', {
      doc: 'AGENTS.md: who the identity is, and how an agent works as it.',
      ...file,
    }),
    claude: op.get('/{id}/claude.md', { doc: 'CLAUDE.md: the same for Claude Code.', ...file }),
  },
);
