// Taking back what a run has learned; an operation of ours.
import { group, op } from '../../contract/operation.ts';
import { fields } from '../../contract/types.ts';
import { UnlearnResultDto } from './dto.ts';

export const unlearning = group(
  'Agent',
  { id: 'Unlearning', base: '/api/agent/runs', doc: 'Taking back what a run has learned.' },
  {
    run: op.post('/{id}/unlearn', {
      doc: 'Take back all memories, links, facts and agent memories that a run wrote, and say what that was. The log of the run stays until the run is deleted.',
      needs: 'MemoriesWrite',
      // Twice is the same as once.
      idempotent: false,
      body: fields({}),
      data: UnlearnResultDto,
    }),
  },
);
