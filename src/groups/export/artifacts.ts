// What identities have written, as artifacts of the portable format: documents of projects, and chats.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type ChatSessionDoc, chatMessageSpec, chatSessionSpec } from '../chat/documents.ts';
import { docRecord, versionRecord } from '../docs/record.ts';
import type { PortableDoc, PortableSession } from './portable.ts';
import type { Reach } from './reach.ts';
import { pagesOf } from './reading.ts';

export type Head = Omit<PortableSession, 'messages'>;
type Message = PortableSession['messages'][number];

/** A chat with its messages, which are read when they are written. */
export interface ReadSession {
  head: Head;
  messages: AsyncIterable<Message>;
}

export function createArtifacts({ db }: { db: Db }) {
  const docs = perTenant(db.collection(docRecord.spec));
  const versions = perTenant(db.collection(versionRecord.spec));
  const sessions = perTenant(db.collection(chatSessionSpec));
  const messages = perTenant(db.collection(chatMessageSpec));

  async function* messagesOf({ caller, at }: Reach, sessionId: number): AsyncGenerator<Message> {
    for await (const page of pagesOf(messages(caller.tenantId), { sessionId }, at))
      for (const { _id, parentId, role, content, modelId, createdAt } of page) {
        const [id, before] = [String(_id), parentId === null ? null : String(parentId)];
        yield { id, parentId: before, role, content, modelId, sentAtUtc: new Date(createdAt).toISOString() };
      }
  }

  return {
    async *documents(reach: Reach): AsyncGenerator<PortableDoc> {
      const { tenantId } = reach.caller;
      for (const { project, cleared } of reach.projects) {
        const seen = { projectId: project._id, deletedAt: null, classification: { $in: cleared } };
        for await (const page of pagesOf(docs(tenantId), seen, reach.at))
          for (const doc of page) {
            const newest = await versions(tenantId).findOne({ docId: doc._id, version: doc.version });
            const { guid, path, title, type, classification, isPublished, tags, createdAt, updatedAt } = doc;
            const times = { createdAtUtc: createdAt.toISOString(), updatedAtUtc: updatedAt.toISOString() };
            const about = { path, title, type, classification, isPublished, tags, project: project.key, ...times };
            yield { kind: 'document', id: guid, content: newest?.content ?? '', ...about };
          }
      }
    },
    /** Chats of the caller that an identity owns or answered in: those of others are theirs. */
    async *sessions(reach: Reach, { _id: identityId }: IdentityDoc): AsyncGenerator<ReadSession> {
      const { caller } = reach;
      const mine = [
        ...(caller.userId === null ? [] : [{ userId: caller.userId }]),
        ...(caller.identityId === null ? [] : [{ ownerIdentityId: caller.identityId }]),
      ];
      // In a tenant's export each chat stands with who owns it, once.
      const about =
        reach.scope === 'Tenant'
          ? [{ ownerIdentityId: identityId }]
          : [{ ownerIdentityId: identityId }, { identityId }];
      const filter = { deletedAt: null, ...visibleTo<ChatSessionDoc>(caller), $and: [{ $or: mine }, { $or: about }] };
      for await (const page of pagesOf(sessions(caller.tenantId), filter as Filter<ChatSessionDoc>, reach.at))
        for (const session of page) yield { head: headOf(reach, session), messages: messagesOf(reach, session._id) };
    },
  };
}
export type Artifacts = ReturnType<typeof createArtifacts>;

const headOf = ({ keyOf }: Reach, { guid, title, projectId, createdAt, updatedAt }: ChatSessionDoc): Head => ({
  kind: 'session',
  id: guid,
  title: title || null,
  project: keyOf(projectId),
  createdAtUtc: new Date(createdAt).toISOString(),
  updatedAtUtc: new Date(updatedAt).toISOString(),
});
