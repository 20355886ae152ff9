// Who may write to whom: the messaging policies of both sides, as one pure rule.
import type { IdentityDoc } from '../../auth/documents.ts';
import { MessagePriority, type MessageType } from '../../contract/enums.ts';
import { type Settings, settingOf } from '../identities/settings.ts';

type Party = Pick<IdentityDoc, '_id' | 'displayName' | 'isActive' | 'deletedAt' | keyof Settings>;

/** Why a message does not reach a recipient; null when it does. One may always write to oneself. */
export function verdictOf(sender: Party, recipient: Party, priority: MessagePriority): string | null {
  if (sender._id === recipient._id) return null;
  const theirs = settingOf(recipient, 'messaging');
  const least = MessagePriority.options[theirs.minPriority] ?? 'Low';
  if (!settingOf(sender, 'messaging').sendEnabled) return `${sender.displayName} may not send messages.`;
  if (!recipient.isActive || recipient.deletedAt) return `${recipient.displayName} is not active.`;
  if (!theirs.receiveEnabled) return `${recipient.displayName} takes no messages.`;
  if (theirs.blockedSenders.includes(sender._id)) return `${recipient.displayName} has blocked ${sender.displayName}.`;
  if (theirs.allowedSenders.length > 0 && !theirs.allowedSenders.includes(sender._id))
    return `${recipient.displayName} takes messages of chosen senders only.`;
  if (MessagePriority.options.indexOf(priority) < theirs.minPriority)
    return `${recipient.displayName} takes messages of priority ${least} and above.`;
  return null;
}

/** Messages that nobody answers by themselves: answering them could go on for ever. */
const unanswered: readonly MessageType[] = ['AutoReply', 'Broadcast', 'Notification', 'System'];

/** Whether an identity answers messages of a sender by itself. */
export function willAutoReply(recipient: Party, senderId: number, type: MessageType = 'Text'): boolean {
  if (recipient._id === senderId || unanswered.includes(type)) return false;
  const { autoReply, autoReplyTo } = settingOf(recipient, 'messaging');
  return autoReply && (autoReplyTo.length === 0 || autoReplyTo.includes(senderId));
}
