// Talking about a run while it rests.
import { group, op } from '../../../contract/operation.ts';
import { fields, string } from '../../../contract/types.ts';
import { ChatSessionDetailDto } from '../../chat/dto.ts';

export const agentPauseChat = group(
  'Agent',
  { id: 'AgentPauseChat', base: '/api/agent/runs/{runId}/pause-chat', doc: 'Talk with an agent about its run.' },
  {
    open: op.post('', {
      doc: 'Pause a run and open a chat with its agent about it; a message is answered at once, on the stream.',
      needs: 'RunsWrite',
      body: fields({
        message: string.trim().min(1).max(100_000).nullish(),
        modelId: string.trim().min(1).max(200).nullish(),
      }).optional(),
      data: ChatSessionDetailDto,
    }),
  },
);
