// Tells the people behind a webhook or a channel that it is switched off, and why.
import type { IdentityDoc } from '../auth/documents.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Publisher, personalTopic } from '../ports/stream.ts';
import type { Inbox } from './messages/inbox.ts';

interface Deps {
  inbox: Pick<Inbox, 'send'>;
  publisher: Publisher;
  clock: Clock;
  people(who: { tenantId: number; identityId: number | null; startedByUserId: number | null }): Promise<IdentityDoc[]>;
}

/** What was sending. */
interface Sender {
  _id: number;
  tenantId: number;
  name: string;
  projectId: number | null;
  createdByUserId: number | null;
  createdByIdentityId: number | null;
}

export function createWarning(noun: 'webhook' | 'channel', { inbox, publisher, clock, people }: Deps) {
  return async (sender: Sender, delivery: { _id: number; error: string | null }, why: string): Promise<void> => {
    const { tenantId, createdByUserId: startedByUserId, createdByIdentityId: identityId } = sender;
    const title = `The ${noun} ${sender.name} is switched off`;
    const last = [delivery.error, `Last delivery: ${delivery._id}.`].filter(Boolean).join(' ');
    for (const to of await people({ tenantId, identityId, startedByUserId })) {
      const { existed } = await inbox.send({
        tenantId,
        senderId: to._id,
        recipientIds: [to._id],
        content: `${title}.\n\n${why} ${last}\n\nWhat waited for it was dropped; it can be sent again once it is on.`,
        priority: 'High',
        anyway: true,
        projectId: sender.projectId,
        key: `${noun}-disabled:${sender._id}:${delivery._id}:${to._id}`,
      });
      if (existed) continue;
      const topics = [personalTopic('me', { userId: to.userId }), personalTopic('me', { identityId: to._id })];
      const atUtc = new Date(clock.now()).toISOString();
      const data = {
        kind: 'System' as const,
        title,
        body: why,
        level: 'Warning' as const,
        url: null,
        targetId: sender._id,
        atUtc,
      };
      await publisher.publish({ tenantId, topics, type: 'notification', data });
    }
  };
}
