// Who calls, what awaits them, and the work that one session leaves to the next.
import { z } from 'zod';
import { HandoffDirection, HandoffStatus } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { dateTime, fields, int64, string } from '../../contract/types.ts';
import { SessionHandoffDto, SessionInfoDto } from './dto.ts';

const line = string.trim().min(1).max(2000);
const lines = z.array(line).max(100);
const ids = z.array(int64).max(500);

export const session = group(
  'Session',
  { base: '/api/session', doc: 'Who you are, what awaits you, and what you leave to the next session.' },
  {
    get: op.get('', {
      doc: 'Who you are, what you may do, and what awaits you: hand-offs that nobody has taken, above all.',
      needs: 'self',
      byAnyKey: true,
      data: SessionInfoDto,
    }),
    handoffs: op.get('/handoffs', {
      doc: 'Hand-offs that were left for your identity or by it, newest first.',
      needs: 'self',
      byAnyKey: true,
      query: listQuery(['createdAtUtc', 'id'], {
        identityId: int64.optional(),
        projectId: int64.optional(),
        status: HandoffStatus.optional(),
        direction: HandoffDirection.optional(),
      }),
      data: page(SessionHandoffDto),
    }),
    leave: op.post('/handoffs', {
      doc: 'Leave work for the next session of your identity, or for another identity.',
      needs: 'self',
      byAnyKey: true,
      body: fields({
        title: string.trim().min(1).max(300),
        summary: string.trim().min(1).max(32_000),
        toIdentityId: int64.nullish(),
        projectId: int64.nullish(),
        runId: int64.nullish(),
        chatSessionId: int64.nullish(),
        openQuestions: lines.nullish(),
        nextSteps: lines.nullish(),
        memoryIds: ids.nullish(),
        taskIds: ids.nullish(),
        filesTouched: lines.nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: SessionHandoffDto,
    }),
    claim: op.post('/handoffs/{id}/claim', {
      doc: 'Take a hand-off over; one alone can.',
      needs: 'self',
      byAnyKey: true,
      body: fields({ notes: string.max(8000).nullish() }),
      data: SessionHandoffDto,
    }),
  },
);
