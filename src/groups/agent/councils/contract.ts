// Councils: several participants who deliberate on a question of a run and vote.
import { CouncilStatus } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { AgentCouncilDto } from '../dto.ts';
import { CouncilDebateDto } from './dto.ts';

export const agentCouncils = group(
  'Agent',
  { id: 'AgentCouncils', base: '/api/agent', doc: 'Councils of runs, with their consensus or dissent.' },
  {
    list: op.get('/runs/{runId}/councils', {
      doc: 'List the councils of a run, newest first.',
      needs: 'RunsRead',
      query: listQuery(['createdAtUtc', 'completedAtUtc', 'status', 'id'], { status: CouncilStatus.optional() }),
      data: page(AgentCouncilDto),
    }),
    get: op.get('/councils/{id}', { doc: 'One council.', needs: 'RunsRead', data: AgentCouncilDto }),
    debate: op.get('/councils/{id}/debate', {
      doc: 'Ours: a council as a debate: every statement with its position and where it changed, who said nothing, the tally, and the dissent.',
      needs: 'RunsRead',
      data: CouncilDebateDto,
    }),
  },
);
