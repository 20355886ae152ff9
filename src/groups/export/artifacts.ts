// What identities have written, as artifacts of the portable format: documents of projects, and chats.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type ChatMessageDoc, type ChatSessionDoc, chatMessageSpec, chatSessionSpec } from '../chat/documents.ts';
import { tagsIn } from '../chat/filing.ts';
import { type DocDoc, docRecord, versionRecord } from '../docs/record.ts';
import { trainingPairRecord } from '../mirror/pairs/record.ts';
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
  const pairs = perTenant(db.collection(trainingPairRecord.spec));

  /** Pairs of the identity that came of ratings, by their ids in the document. */
  const pairsOf = async (tenantId: number, identityId: number, page: readonly ChatMessageDoc[]) => {
    const ids = page.flatMap(({ feedback }) => feedback?.trainingPairId ?? []);
    if (ids.length === 0) return new Map<number, string>();
    const found = await pairs(tenantId)
      .find({ identityId, _id: { $in: ids } }, { projection: { _id: 1, guid: 1 } })
      .toArray();
    return new Map(found.map(({ _id, guid }) => [_id, guid]));
  };

  async function* messagesOf({ caller, at }: Reach, sessionId: number, identityId: number): AsyncGenerator<Message> {
    for await (const page of pagesOf(messages(caller.tenantId), { sessionId }, at)) {
      const guids = await pairsOf(caller.tenantId, identityId, page);
      for (const message of page) {
        const { _id, parentId } = message;
        const [id, before] = [String(_id), parentId === null ? null : String(parentId)];
        const sentAtUtc = new Date(message.createdAt).toISOString();
        yield { id, parentId: before, ...saidOf(message), feedback: ratingOf(message, guids), sentAtUtc };
      }
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
            const above = doc.parentDocId === null ? null : await docs(tenantId).findOne({ _id: doc.parentDocId });
            const parentPath = above && cleared.includes(above.classification) ? above.path : null;
            const { content = '', changeSummary = null } = newest ?? {};
            yield documentOf(doc, { content, changeSummary, project: project.key, parentPath });
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
        for (const session of page)
          yield { head: headOf(reach, session, identityId), messages: messagesOf(reach, session._id, identityId) };
    },
  };
}
export type Artifacts = ReturnType<typeof createArtifacts>;

const headOf = ({ keyOf }: Reach, session: ChatSessionDoc, identityId: number): Head => ({
  kind: 'session',
  id: session.guid,
  title: session.title || null,
  project: keyOf(session.projectId),
  modelId: session.modelId,
  reasoningEffort: session.reasoningEffort,
  systemPrompt: session.systemPrompt,
  enabledTools: session.enabledTools,
  hydrate: session.hydrate,
  isPinned: session.isPinned,
  archived: session.archived,
  folder: session.folder ?? null,
  tags: tagsIn(session.tagText),
  answers: session.identityId === identityId,
  owns: session.ownerIdentityId === identityId,
  activeMessageId: session.activeMessageId === null ? null : String(session.activeMessageId),
  totalTokens: session.totalTokens,
  createdAtUtc: new Date(session.createdAt).toISOString(),
  updatedAtUtc: new Date(session.updatedAt).toISOString(),
});

const ratingOf = ({ feedback }: ChatMessageDoc, guids: ReadonlyMap<number, string>): Message['feedback'] => {
  if (!feedback) return null;
  const { trainingPairId, ...rest } = feedback;
  return { ...rest, pair: guids.get(trainingPairId ?? 0) ?? null };
};

const saidOf = (message: ChatMessageDoc): Omit<Message, 'id' | 'parentId' | 'sentAtUtc' | 'feedback'> => ({
  role: message.role,
  content: message.content,
  reasoning: message.reasoning,
  modelId: message.modelId,
  state: message.state,
  hidden: message.hidden,
  summary: message.summary,
  toolCallId: message.toolCallId,
  toolName: message.toolName,
  steps: message.steps.map(({ text, reasoning, toolCalls }) => ({
    text,
    reasoning,
    toolCalls: toolCalls.map(({ id, name, argumentsJson, resultJson, status, durationMs }) => ({
      id,
      name,
      argumentsJson,
      resultJson,
      status,
      durationMs,
    })),
  })),
  reasoningEffort: message.reasoningEffort,
  attachments: message.attachments.map(({ memoryId: _memory, docId: _doc, ...attachment }) => attachment),
  usage: message.usage,
  responseTimeMs: message.responseTimeMs,
  truncated: message.truncated,
  error: message.error,
});

const documentOf = (
  doc: DocDoc,
  more: Pick<PortableDoc, 'content' | 'changeSummary' | 'project' | 'parentPath'>,
): PortableDoc => ({
  kind: 'document',
  id: doc.guid,
  path: doc.path,
  slug: doc.slug,
  title: doc.title,
  type: doc.type,
  classification: doc.classification,
  isGroup: doc.isGroup,
  isPinned: doc.isPinned,
  includeInNav: doc.includeInNav,
  isPublished: doc.isPublished,
  publishedAtUtc: doc.publishedAt?.toISOString() ?? null,
  excerpt: doc.isExcerptOwn ? doc.excerpt : null,
  coverImageUrl: doc.coverImageUrl,
  icon: doc.icon,
  tags: doc.tags,
  authorName: doc.authorName,
  version: doc.version,
  ...more,
  createdAtUtc: doc.createdAt.toISOString(),
  updatedAtUtc: doc.updatedAt.toISOString(),
});
