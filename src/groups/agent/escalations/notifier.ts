// Tells people that a run waits for their decision: in their inbox, and at once on whatever they have open.
import type { Notifier } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { type EscalationRecord, escalationClosed } from '../../../../runtime/state/escalation.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { EscalationUrgency, MessagePriority, SystemLogLevel } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { type Publisher, personalTopic } from '../../../ports/stream.ts';
import type { Inbox } from '../../messages/inbox.ts';
import type { NotificationDto } from '../../realtime/dto.ts';

interface Deps {
  inbox: Pick<Inbox, 'send'>;
  publisher: Publisher;
  clock: Clock;
  people: (run: RunRecord) => Promise<IdentityDoc[]>;
}

const levels: Record<EscalationUrgency, { priority: MessagePriority; level: SystemLogLevel }> = {
  Low: { priority: 'Low', level: 'Information' },
  Normal: { priority: 'Normal', level: 'Information' },
  High: { priority: 'High', level: 'Warning' },
  Critical: { priority: 'Urgent', level: 'Critical' },
};

export function createNotifier({ inbox, publisher, clock, people }: Deps): Notifier {
  const tell = async (to: IdentityDoc, escalation: EscalationRecord, run: RunRecord) => {
    const { priority, level } = levels[escalation.urgency ?? 'Normal'];
    const { existed } = await inbox.send({
      tenantId: run.tenantId,
      senderId: run.identityId,
      recipientIds: [to._id],
      content: describe(escalation, run),
      type: escalation.kind === 'toolApproval' || escalation.kind === 'approval' ? 'Approval' : 'Escalation',
      priority,
      anyway: true,
      runId: run.id,
      projectId: run.projectId,
      key: `escalation:${escalation.id}:${escalation.revisionRoundsUsed}:${to._id}`,
    });
    if (existed) return;
    const data: NotificationDto = {
      kind: 'EscalationRaised',
      title: `Run ${run.id} waits for your decision`,
      body: escalation.situation.slice(0, 500),
      level,
      url: `/runs/${run.id}`,
      targetId: escalation.id,
      atUtc: new Date(clock.now()).toISOString(),
    };
    const topics = [personalTopic('me', { userId: to.userId }), personalTopic('me', { identityId: to._id })];
    await publisher.publish({ tenantId: run.tenantId, topics, type: 'notification', data });
  };

  return {
    async escalationRaised(escalation, run) {
      if (escalationClosed(escalation.status)) return { state: 'NotRequired', detail: null };
      const recipients = await people(run);
      if (recipients.length === 0) return { state: 'NotRequired', detail: 'No active person answers for this run.' };
      const told = await Promise.allSettled(recipients.map((to) => tell(to, escalation, run)));
      const missed = recipients.filter((_, at) => told[at]?.status === 'rejected').map((one) => one.displayName);
      if (missed.length === 0) return { state: 'Sent', detail: recipients.map((one) => one.displayName).join(', ') };
      const state = missed.length < recipients.length ? 'PartiallySent' : 'Failed';
      return { state, detail: `Could not reach ${missed.join(', ')}.` };
    },
  };
}

/** The options by their names; what is no list of them stays as it is. */
function optionsOf(json: string): string[] {
  const options: unknown = JSON.parse(json);
  if (typeof options !== 'object' || options === null) return [json];
  return Object.values(options).map((one) =>
    typeof one === 'string' ? one : String(one?.label ?? one?.title ?? JSON.stringify(one)),
  );
}

function describe(escalation: EscalationRecord, run: RunRecord): string {
  const parts = [
    escalation.situation,
    escalation.optionsJson && `Options: ${optionsOf(escalation.optionsJson).join(' · ')}`,
    escalation.supervisorRecommendation &&
      `Recommended (confidence ${Math.round(escalation.confidence * 100)} %): ${escalation.supervisorRecommendation}`,
    escalation.timeoutAt !== null && `Answer until ${new Date(escalation.timeoutAt).toISOString()}.`,
    `Run ${run.id}: ${run.goal.slice(0, 300)}`,
    `Decide it in the dashboard, under Escalations (number ${escalation.id}).`,
  ];
  return parts.filter(Boolean).join('\n\n');
}
