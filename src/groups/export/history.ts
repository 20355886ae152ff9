// What happened to an identity, as records of the portable format: its runs, and its threads with their messages.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import {
  type EntryDoc,
  entrySpec,
  type MessageDoc,
  memberSpec,
  messageSpec,
  threadSpec,
} from '../messages/documents.ts';
import { iso } from './atoms.ts';
import { createMail } from './mail.ts';
import type { Mailbox } from './portable-history.ts';
import { type PortableRecord, portableRecord } from './portable-records.ts';
import { keyInside, type Reach, type ReachedIdentity, wholeOnes } from './reach.ts';
import { type EventsOf, guidsOf } from './reading.ts';
import { runRecords } from './runs.ts';

export function historyRecords({ db, eventsOf }: { db: Db; eventsOf: EventsOf }) {
  const [ofRuns, ofMail] = [runRecords({ db, eventsOf }), mailRecords(db)];
  return async function* (reach: Reach, { identity }: ReachedIdentity): AsyncGenerator<PortableRecord> {
    yield* ofRuns(reach, identity);
    yield* ofMail(reach, identity);
  };
}

interface Numbered {
  _id: number;
  guid: string;
  tenantId: number;
  identityId: number;
  createdAt: number;
}

function mailRecords(db: Db) {
  const mailOf = createMail(db);
  const runs = perTenant(db.collection<Numbered>({ name: 'agent_runs', indexes: [] }));
  const threads = perTenant(db.collection(threadSpec));
  const members = perTenant(db.collection(memberSpec));
  const entries = perTenant(db.collection(entrySpec));
  const messages = perTenant(db.collection(messageSpec));

  async function* threadsOf(reach: Reach, identityId: number, ids: readonly number[]): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    const found = await threads(tenantId)
      .find({ _id: { $in: [...ids] } }, { sort: { _id: 1 } })
      .toArray();
    const about = await guidsOf(
      runs(tenantId),
      found.map(({ runId }) => runId),
      { identityId },
    );
    for (const thread of found) {
      const run = about.get(thread.runId ?? 0) ?? null;
      const member = await members(tenantId).findOne({ _id: `${thread._id}:${identityId}` });
      const project = keyInside(reach, thread.projectId);
      yield portableRecord('thread', thread, { id: thread.guid, project, run, archived: member?.archived ?? false });
    }
  }

  return async function* (reach: Reach, { _id: identityId }: IdentityDoc): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    const seen = new Set<number>();
    for await (const page of mailOf(reach, identityId, wholeOnes(reach))) {
      const open = [...new Set(page.map(({ threadId }) => threadId))].filter((id) => !seen.has(id));
      for (const id of open) seen.add(id);
      yield* threadsOf(reach, identityId, open);
      const guids = await guidsOf(
        threads(tenantId),
        page.map(({ threadId }) => threadId),
      );
      const mine = { $or: [{ senderId: identityId }, { 'recipients.identityId': identityId }] };
      const answers = await guidsOf(
        messages(tenantId),
        page.flatMap(({ replyIds }) => replyIds),
        { ...mine, createdAt: { $lte: reach.at } },
      );
      const lying = await entries(tenantId)
        .find({ _id: { $in: page.map(({ _id }) => `${_id}:${identityId}`) } } as Filter<EntryDoc>)
        .toArray();
      const mailboxes = new Map(lying.map((entry) => [entry.messageId, entry]));
      for (const message of page) {
        const thread = guids.get(message.threadId);
        if (thread)
          yield messageRecord(reach, message, { thread, identityId, answers, entry: mailboxes.get(message._id) });
      }
    }
  };
}

interface About {
  thread: string;
  identityId: number;
  answers: ReadonlyMap<number, string>;
  entry: EntryDoc | undefined;
}

const messageRecord = (reach: Reach, message: MessageDoc, { thread, identityId, answers, entry }: About) =>
  portableRecord('message', message, {
    id: message.guid,
    thread,
    project: keyInside(reach, message.projectId),
    sent: message.senderId === identityId,
    replies: message.replyIds.flatMap((id) => answers.get(id) ?? []),
    recipients: message.recipients.map((to) => ({
      name: to.identityName,
      isOwn: to.identityId === identityId,
      seen: to.seen,
      refused: to.refused ?? null,
    })),
    mailbox: entry ? mailboxOf(entry) : null,
  });

const mailboxOf = (entry: EntryDoc): Mailbox => ({
  unread: entry.unread,
  deliveredAtUtc: iso(entry.deliveredAt),
  readAtUtc: iso(entry.readAt),
  repliedAtUtc: iso(entry.repliedAt),
  archivedAtUtc: iso(entry.archivedAt),
  removedAtUtc: iso(entry.removedAt),
  rejectedReason: entry.rejectedReason,
});
