// The messages that go along with an identity.
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { entrySpec, type MessageDoc, messageSpec } from '../messages/documents.ts';
import type { Reach } from './reach.ts';
import { pagesOf } from './reading.ts';

/** Messages that are read at once by their ids. */
const mailAtOnce = 200;

/** Messages that an identity sent, and those that it received from others than the ones that go along; each once. */
export function createMail(db: Db) {
  const messages = perTenant(db.collection(messageSpec));
  const entries = perTenant(db.collection(entrySpec));
  return async function* mail(reach: Reach, id: number, along: readonly number[]): AsyncGenerator<MessageDoc[]> {
    const { tenantId } = reach.caller;
    const open = visibleTo<MessageDoc>(reach.caller);
    yield* pagesOf(messages(tenantId), { senderId: id, ...open } as Filter<MessageDoc>, reach.at);
    const received = await entries(tenantId)
      .find({ identityId: id }, { projection: { _id: 1, messageId: 1 } })
      .toArray();
    const ids = received.map(({ messageId }) => messageId).sort((a, b) => a - b);
    const isFirst = ({ senderId, recipients }: MessageDoc) =>
      !along.includes(senderId) && recipients.find(({ identityId }) => along.includes(identityId))?.identityId === id;
    for (let from = 0; from < ids.length; from += mailAtOnce) {
      const some = { _id: { $in: ids.slice(from, from + mailAtOnce) }, ...open } as Filter<MessageDoc>;
      const found = await messages(tenantId).find(some).toArray();
      yield found.filter((one) => one.createdAt <= reach.at && isFirst(one));
    }
  };
}
