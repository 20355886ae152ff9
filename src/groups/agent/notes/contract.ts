// Notes on a run, by the agent itself or by people who watch it.
import { AgentRunNoteType } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { fields, int64, string } from '../../../contract/types.ts';
import { AgentRunNoteDto } from '../dto.ts';

export const agentNotes = group(
  'Agent',
  { id: 'AgentNotes', base: '/api/agent/runs/{runId}/notes', doc: 'Notes on a run.' },
  {
    list: op.get('', {
      doc: 'List the notes of a run, newest first.',
      needs: 'RunsRead',
      query: listQuery(['createdAtUtc', 'id'], { type: AgentRunNoteType.optional(), taskId: int64.optional() }),
      data: page(AgentRunNoteDto),
    }),
    create: op.post('', {
      doc: 'Add a note to a run.',
      needs: 'RunsWrite',
      body: fields({
        content: string.trim().min(1).max(32_000),
        type: AgentRunNoteType.nullish(),
        taskId: int64.nullish(),
      }),
      data: AgentRunNoteDto,
    }),
  },
);
