// What lists and threads of the inbox share: titles and priorities.
import type { MessagePriority, MessageThreadDto } from '../../../client/index.ts';
import { words } from '../../base/i18n.ts';

export const priorities: MessagePriority[] = ['Low', 'Normal', 'High', 'Urgent'];

/** Its title, or who takes part. */
export const titleOf = ({ title, participants }: Pick<MessageThreadDto, 'title' | 'participants'>) =>
  title ?? participants.map(({ identityName }) => identityName).join(', ');

/** Only what is out of the ordinary is marked. */
export function Priority({ priority }: { priority: MessagePriority }) {
  if (priority === 'Normal') return null;
  return (
    <span className="tag" data-tone={priority === 'Urgent' ? 'bad' : priority === 'High' ? 'accent' : undefined}>
      {words(priority)}
    </span>
  );
}
