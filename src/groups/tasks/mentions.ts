// Who is meant by the words of a comment, and how somebody is told of a task.
import type { IdentityDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import { Fault } from '../../kernel/fault.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { Inbox } from '../messages/inbox.ts';
import type { CommentDoc, ProjectTaskDoc } from './record.ts';

interface Deps {
  identities: PerTenant<IdentityDoc>;
  inbox: Pick<Inbox, 'send'>;
}

/** A person who calls, or an agent with its tool. */
interface Speaker {
  tenantId: number;
  identityId: number | null;
}

/** Names that a comment mentions at most. */
const mostNames = 50;

export type Mentions = ReturnType<typeof createMentions>;

export function createMentions({ identities, inbox }: Deps) {
  /** Tells an inbox; who does not take the message is not told. */
  const tell = async (by: Speaker, task: ProjectTaskDoc, ids: readonly number[], content: string, key: string) => {
    const senderId = by.identityId ?? task.reporterIdentityId;
    const recipientIds = ids.filter((one) => one !== senderId);
    if (senderId === null || recipientIds.length === 0) return;
    const { tenantId } = by;
    const threadTitle = `Task #${task._id}: ${task.title}`.slice(0, 200);
    const draft = { tenantId, senderId, recipientIds, content, projectId: task.projectId, key, threadTitle };
    await inbox.send(draft).catch(ignoreBlocked);
  };
  return {
    tell,
    /** Identities by number, and those that the text names with an @. @throws Fault NOT_FOUND */
    async mentioned({ tenantId }: Speaker, ids: readonly number[], text: string): Promise<number[]> {
      const names = [...text.matchAll(/@([\p{L}\p{N}_.-]+)/gu)].map(([, name]) =>
        (name as string).replace(/[.-]+$/, '').toLowerCase(),
      );
      const found = await identities(tenantId)
        .find({ deletedAt: null, $or: [{ _id: { $in: [...ids] } }, { nameKey: { $in: names.slice(0, mostNames) } }] })
        .toArray();
      const missing = ids.find((id) => !found.some(({ _id }) => _id === id));
      if (missing === undefined) return found.map(({ _id }) => _id);
      throw noIdentity(missing);
    },
    /** Tells those whom a comment mentions. */
    tellOf: (by: Speaker, task: ProjectTaskDoc, { _id, authorName, content, mentionIdentityIds }: CommentDoc) => {
      const words = `${authorName} mentioned you on the task "${task.title}" (#${task._id}):\n\n${content}`;
      return tell(by, task, mentionIdentityIds, words, `task-comment:${_id}`);
    },
  };
}

function ignoreBlocked(error: unknown): void {
  if (!(error instanceof Fault) || error.code !== 'MESSAGING_BLOCKED') throw error;
}
