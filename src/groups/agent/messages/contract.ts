// Messages of a run: what is said to it, which it reads at its next turn, and what it says.
import { MessagePriority, MessageType } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, fields, int64, string } from '../../../contract/types.ts';
import { MessageDto } from '../../messages/dto.ts';

export const agentMessages = group(
  'Agent',
  { id: 'AgentMessages', base: '/api/agent/runs/{runId}/messages', doc: 'Messages to and from a run.' },
  {
    list: op.get('', {
      doc: 'List the messages of a run, newest first.',
      needs: 'RunsRead',
      query: listQuery(['createdAtUtc', 'id'], { type: MessageType.optional(), sinceUtc: dateTime.optional() }),
      data: page(MessageDto),
    }),
    create: op.post('', {
      doc: 'Say something to a run; it reads it at its next turn.',
      needs: 'RunsWrite',
      body: fields({
        content: string.trim().min(1).max(32_000),
        type: MessageType.nullish(),
        priority: MessagePriority.nullish(),
        senderId: int64.nullish(),
        requiresReply: boolean.nullish(),
      }),
      data: MessageDto,
    }),
  },
);
