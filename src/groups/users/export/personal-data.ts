// Finds all that is kept of a person, to be taken along or erased.
import { setImmediate } from 'node:timers/promises';
import { ZipFile } from 'yazl';
import type { AuthCollections } from '../../../auth/collections.ts';
import type { UserDoc } from '../../../auth/documents.ts';
import { loginsOf } from '../../../auth/external/sign-ins.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { FileReply } from '../../../contract/replies.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { forgetEntries } from '../../../memory/indexing.ts';
import type { Indexes } from '../../../memory/ports.ts';
import type { Db } from '../../../ports/db.ts';
import { feedbackSpec, toFeedbackDto } from '../../agent/feedback/feedback.ts';
import { auditRecord } from '../../audit-events/record.ts';
import { toAuditEventDto } from '../../audit-events/to-dto.ts';
import { liveSessionsOf, toSessionDto as toAuthSessionDto } from '../../auth/sessions.ts';
import { chatMessageSpec, chatSessionSpec, sessionRecord } from '../../chat/documents.ts';
import { docToMessageDto, toSessionDto } from '../../chat/to-dto.ts';
import { toIdentityDto } from '../../identities/to-dto.ts';
import { entrySpec, mailboxesOf, messageSpec, toMessageDto } from '../../messages/documents.ts';
import type { MessageDto } from '../../messages/dto.ts';
import { toLoginDto } from '../../oauth/to-dto.ts';
import { personalKind, personalMemoryRecord, suggestionRecord } from '../../personal-memories/record.ts';
import { toPersonalMemoryDto } from '../../personal-memories/show.ts';
import { erasePromptsOf } from '../../prompts/erase.ts';
import { promptRecord } from '../../prompts/record.ts';
import { toPromptDto } from '../../prompts/show.ts';
import { toUserDto } from '../to-dto.ts';
import type { UserDataExport } from './dto.ts';

export interface PersonalData {
  of(caller: Caller): Promise<UserDataExport>;
  /** The same as a ZIP with a file for each field. */
  zip(data: UserDataExport): FileReply;
  /** Erases what only its person could read, and the words of what they said to others. */
  erase(user: UserDoc): Promise<void>;
}

interface Deps {
  db: Db;
  collections: AuthCollections;
  clock: Clock;
  indexes: Pick<Indexes, 'words' | 'vectors'>;
}

/** Messages that are read at once. */
const atOnce = 500;

/** All that a read finds; a long one leaves the event loop to others between. */
async function all<Doc>(cursor: AsyncIterable<Doc>): Promise<Doc[]> {
  const found: Doc[] = [];
  for await (const doc of cursor) found.push(doc);
  return found;
}

export function createPersonalData({ db, collections, clock, indexes }: Deps): PersonalData {
  const feedback = db.collection(feedbackSpec);
  const audit = db.collection(auditRecord.spec);
  const personal = db.collection(personalMemoryRecord.spec);
  const prompts = db.collection(promptRecord.spec);

  return {
    async of(caller) {
      const { tenantId } = caller;
      const userId = caller.userId ?? 0;
      const user = await collections.users.findOne({ _id: userId, tenantId });
      if (!user) throw new Error('a caller without a user');
      const identities = await identitiesOf(collections, user);
      const [sessions, logins, chatSessions, own, given, noted, remembered, saved] = await Promise.all([
        liveSessionsOf(collections, caller, clock.now()),
        loginsOf(collections, { tenantId, userId }),
        chatsOf(db, tenantId, userId),
        messagesOf(
          db,
          tenantId,
          identities.filter(({ type }) => type === 'Human').map(({ _id }) => _id),
        ),
        all(feedback.find({ tenantId, ratedByUserId: userId }, { sort: { _id: 1 } })),
        all(audit.find({ tenantId, actorUserId: userId }, { sort: { _id: 1 } })),
        all(personal.find({ tenantId, userId }, { sort: { createdAt: 1 } })),
        all(prompts.find({ tenantId, createdByUserId: userId }, { sort: { _id: 1 } })),
      ]);
      return {
        exportedAtUtc: new Date(clock.now()).toISOString(),
        user: toUserDto(user),
        identities: identities.map(toIdentityDto),
        sessions: sessions.map((one) => toAuthSessionDto(one, caller)),
        externalLogins: logins.map((one) => toLoginDto(one, false)),
        chatSessions,
        personalMemories: remembered.map(toPersonalMemoryDto),
        prompts: saved.map((one) => toPromptDto(one, caller)),
        messages: own,
        feedback: given.map(toFeedbackDto),
        auditEvents: noted.map(toAuditEventDto),
      };
    },
    zip: zipOf,
    erase: async (user) => {
      await erasePersonal({ db, indexes }, { tenantId: user.tenantId, userId: user._id });
      await erase(db, collections, user);
    },
  };
}

async function chatsOf(db: Db, tenantId: number, userId: number) {
  const chats = db.collection(chatSessionSpec);
  const messages = db.collection(chatMessageSpec);
  const shown = [];
  for (const doc of await all(chats.find({ tenantId, userId, deletedAt: null }, { sort: { _id: 1 } }))) {
    const said = await all(messages.find({ tenantId, sessionId: doc._id }, { sort: { _id: 1 } }));
    shown.push({ ...toSessionDto(sessionRecord(doc)), messages: said.map(docToMessageDto) });
    await setImmediate();
  }
  return shown;
}

/** What was sent and received, in the order in which it was sent, each with who has read it. */
async function messagesOf(db: Db, tenantId: number, identityIds: number[]): Promise<MessageDto[]> {
  const messages = db.collection(messageSpec);
  const entries = db.collection(entrySpec);
  const own = { $in: identityIds };
  const sent = await all(messages.find({ tenantId, senderId: own }, { projection: { _id: 1 } }));
  const received = await all(entries.find({ tenantId, identityId: own }, { projection: { messageId: 1 } }));
  const ids = [...new Set([...sent.map(({ _id }) => _id), ...received.map(({ messageId }) => messageId)])];
  // Messages are numbered as they are sent.
  ids.sort((a, b) => a - b);
  const shown: MessageDto[] = [];
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = { $in: ids.slice(at, at + atOnce) };
    const found = await messages.find({ tenantId, _id: some }, { sort: { _id: 1 } }).toArray();
    const mailboxes = mailboxesOf(await entries.find({ tenantId, messageId: some }).toArray());
    for (const message of found) shown.push(toMessageDto(message, mailboxes.get(message._id) ?? []));
    await setImmediate();
  }
  return shown;
}

/** What a person has written down for themselves: memories with their index, suggestions, prompts. */
async function erasePersonal({ db, indexes }: Pick<Deps, 'db' | 'indexes'>, of: { tenantId: number; userId: number }) {
  const personal = db.collection(personalMemoryRecord.spec);
  const found = await personal.find(of).toArray();
  await personal.deleteMany(of);
  await db.collection(suggestionRecord.spec).deleteMany(of);
  const ids = found.map(({ _id }) => _id);
  await forgetEntries(indexes, personalKind.name, of.tenantId, ids);
  await erasePromptsOf(db, of);
}

const identitiesOf = (
  { identities }: Pick<AuthCollections, 'identities'>,
  { tenantId, _id: userId }: Pick<UserDoc, 'tenantId' | '_id'>,
) => identities.find({ tenantId, userId }, { sort: { _id: 1 } }).toArray();

function zipOf(data: UserDataExport): FileReply {
  const zip = new ZipFile();
  for (const [name, value] of Object.entries(data))
    zip.addBuffer(Buffer.from(JSON.stringify(value, null, 2)), `${name}.json`);
  zip.end();
  const body = zip.outputStream as unknown as AsyncIterable<Uint8Array>;
  return { kind: 'file', mediaType: 'application/zip', fileName: 'my-data.zip', body };
}

async function erase(db: Db, collections: AuthCollections, user: UserDoc): Promise<void> {
  const chats = db.collection(chatSessionSpec);
  const { tenantId, _id: userId } = user;
  const own = await chats.find({ tenantId, userId }, { projection: { _id: 1 } }).toArray();
  for (const { _id: sessionId } of own) await db.collection(chatMessageSpec).deleteMany({ tenantId, sessionId });
  await chats.deleteMany({ tenantId, userId });
  const identities = (await identitiesOf(collections, user))
    .filter(({ type }) => type === 'Human')
    .map(({ _id }) => _id);
  const said = { tenantId, senderId: { $in: identities } };
  await db.collection(messageSpec).updateMany(said, { $set: { content: '', senderName: 'Closed account' } });
  await collections.identities.updateMany(
    { tenantId, userId, type: 'Human' },
    { $set: { displayName: 'Closed account', bio: null, personality: null } },
  );
  // The chain holds a digest of these fields, so that it stands without them.
  const personal = { actorName: null, targetName: null, ip: null, userAgent: null, detail: null, salt: null };
  const entries = db.collection(auditRecord.spec);
  const byAction = new Map<string, number[]>();
  const theirs = entries.find({ tenantId, actorUserId: userId }, { projection: { _id: 1, action: 1 } });
  for await (const { _id, action } of theirs) byAction.set(action, [...(byAction.get(action) ?? []), _id]);
  for (const [about, ids] of byAction)
    await entries.updateMany({ _id: { $in: ids } }, { $set: { ...personal, about } });
}
