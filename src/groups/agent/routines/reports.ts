// Tells the people behind a routine what its runs came to, as its policy says, and that it was paused.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { RoutineReportPolicy, RoutineRunOutcome } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { type Publisher, personalTopic } from '../../../ports/stream.ts';
import type { Inbox } from '../../messages/inbox.ts';
import type { LedgerDoc, RoutineDoc } from './record.ts';

interface Deps {
  inbox: Pick<Inbox, 'send'>;
  publisher: Publisher;
  clock: Clock;
  /** Who answers for a routine; several where nobody in particular does. */
  people(routine: RoutineDoc): Promise<IdentityDoc[]>;
}

const told: Record<RoutineReportPolicy, readonly RoutineRunOutcome[]> = {
  Never: [],
  OnFailure: ['Failed'],
  OnChange: ['Succeeded', 'ThresholdMet'],
  OnThreshold: ['ThresholdMet'],
  Always: ['Succeeded', 'NoChange', 'ThresholdMet', 'Failed', 'Cancelled'],
};

const words: Partial<Record<RoutineRunOutcome, string>> = {
  Succeeded: 'has news',
  NoChange: 'found nothing new',
  ThresholdMet: 'has met its threshold',
  Failed: 'has failed',
  Cancelled: 'was cancelled',
};

export type Reports = ReturnType<typeof createReports>;

export function createReports({ inbox, publisher, clock, people }: Deps) {
  const send = async (routine: RoutineDoc, key: string, title: string, body: string, isBad: boolean) => {
    for (const to of await people(routine)) {
      const { existed } = await inbox.send({
        tenantId: routine.tenantId,
        senderId: routine.identityId,
        recipientIds: [to._id],
        content: `${title}.\n\n${body}`,
        priority: isBad ? 'High' : 'Normal',
        anyway: true,
        projectId: routine.projectId,
        key: `${key}:${to._id}`,
      });
      if (existed) continue;
      const topics = [personalTopic('me', { userId: to.userId }), personalTopic('me', { identityId: to._id })];
      await publisher.publish({
        tenantId: routine.tenantId,
        topics,
        type: 'notification',
        data: {
          kind: 'RoutineReport',
          title,
          body: body.slice(0, 500),
          level: isBad ? 'Warning' : 'Information',
          url: `/routines/${routine._id}`,
          targetId: routine._id,
          atUtc: new Date(clock.now()).toISOString(),
        },
      });
    }
  };
  return {
    /** Of a row whose run has ended; the same row is told once. */
    async ended(routine: RoutineDoc, row: LedgerDoc): Promise<void> {
      if (!told[routine.reportPolicyId].includes(row.outcomeId)) return;
      const title = `The routine ${routine.name} ${words[row.outcomeId] ?? 'has ended'}`;
      const run = row.agentRunId === null ? null : `Run ${row.agentRunId}, due ${row.dueAt.toISOString()}.`;
      const body = [row.reason, row.runSummary, run].filter(Boolean).join('\n\n');
      await send(routine, `routine-run:${row._id}`, title, body, row.outcomeId === 'Failed');
    },
    /** That it was paused, whatever its policy. */
    paused: (routine: RoutineDoc, row: LedgerDoc, reason: string): Promise<void> =>
      send(routine, `routine-paused:${row._id}`, `The routine ${routine.name} was paused`, reason, true),
  };
}
