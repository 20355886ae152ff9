// Mailboxes and threads of identities, for the identity itself and whoever may act as it.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { PeopleOfUnit } from '../../org-units/people.ts';
import { mayReadInUnit } from '../../ports/org-units.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import { given } from '../fields.ts';
import { messages } from './contract.ts';
import type { MessageDoc, ThreadDoc } from './documents.ts';
import type { InboxMessageDto } from './dto.ts';
import type { Inbox } from './inbox.ts';
import { verdictOf } from './policy.ts';
import type { Viewer } from './reads.ts';

export interface MessagesDeps {
  inbox: Inbox;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
  findRun: FindRun;
  projects: Pick<ProjectAccess, 'require'>;
  peopleOfUnit: PeopleOfUnit;
}

const plainHits = 50;
/** Recipients of one broadcast. */
const mostRecipients = 1000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const messagesService = implement(messages, (deps: MessagesDeps) => {
  const { inbox, identities, acting, findRun, projects } = deps;
  const { reads, views } = inbox;

  /** As whom the caller looks or speaks: their own identity, or one that they may act as. */
  const viewerOf = async (caller: Caller, wanted: number | null | undefined): Promise<Viewer> => {
    const { tenantId } = caller;
    const identityId = wanted ?? caller.identityId;
    if (identityId === null)
      throw new Fault('VALIDATION_FAILED', 'You have no identity that could have messages.', {
        hint: 'Name one that you may act as: identityId to read, senderId to write.',
      });
    if (identityId !== caller.identityId) await acting.require(caller, identityId);
    return { tenantId, identityId };
  };

  /** Of those who have something the one whose view the caller gets: themselves, else one that they may act as. */
  const viewerAmong = async (caller: Caller, ids: readonly number[]): Promise<Viewer | null> => {
    const { tenantId, identityId } = caller;
    if (identityId !== null && ids.includes(identityId)) return { tenantId, identityId };
    const found = await identities(tenantId)
      .find({ _id: { $in: [...ids] } }, { sort: { _id: 1 } })
      .toArray();
    const [first] = await acting.among(caller, found);
    return first ? { tenantId, identityId: first._id } : null;
  };

  interface Seen {
    message: MessageDoc;
    viewer: Viewer;
    dto: InboxMessageDto;
  }

  /** @throws Fault NOT_FOUND for a message that the caller has no part in */
  const find = async (caller: Caller, id: number): Promise<Seen> => {
    const message = await inbox.messages(caller.tenantId).findOne({ _id: id });
    const ids = message ? [message.senderId, ...message.recipients.map((one) => one.identityId)] : [];
    const viewer = message && (await viewerAmong(caller, ids));
    const dto = viewer && (await reads.one(viewer, message));
    if (dto) return { message, viewer, dto };
    throw new Fault('NOT_FOUND', `There is no message ${id}.`, { hint: 'List yours with GET /api/messages/inbox.' });
  };

  /** @throws Fault NOT_FOUND for a thread that the caller takes no part in */
  const findThread = async (caller: Caller, id: number): Promise<{ thread: ThreadDoc; viewer: Viewer }> => {
    const thread = await inbox.threads(caller.tenantId).findOne({ _id: id });
    const viewer = thread && (await viewerAmong(caller, thread.participantIds));
    if (viewer) return { thread, viewer };
    throw new Fault('NOT_FOUND', `There is no thread ${id}.`, { hint: 'List yours with GET /api/messages/threads.' });
  };

  /** The identities of those who are in a project. */
  const membersOf = async (caller: Caller, projectId: number) => {
    const { project } = await projects.require(caller, projectId, 'Contributor');
    const { members, ownerUserId, leadIdentityId } = project;
    const userIds = [ownerUserId, ...members.map((one) => one.userId)].filter((id) => id !== null);
    const ids = [leadIdentityId, ...members.map((one) => one.identityId)].filter((id) => id !== null);
    return { $or: [{ _id: { $in: ids } }, { userId: { $in: userIds } }] };
  };

  /** Identities of a unit and the units below it. @throws Fault FORBIDDEN for who is not in it */
  const inUnit = async (caller: Caller, orgUnitId: number) => {
    if (!mayReadInUnit(caller, orgUnitId))
      throw new Fault('FORBIDDEN', `You are not in the organisation unit ${orgUnitId}.`, {
        hint: 'See the units that you are in with GET /api/org-units?mine=true.',
      });
    return deps.peopleOfUnit(caller.tenantId, orgUnitId);
  };

  /** Who is meant by a broadcast, its sender left out. */
  const audience = async (caller: Caller, target: Target): Promise<IdentityDoc[]> => {
    const named = [target.tag, target.orgUnitId, target.projectId, target.everyone || null].filter(
      (one) => one != null,
    );
    if (named.length !== 1)
      throw new Fault('VALIDATION_FAILED', 'A broadcast goes to one of tag, projectId, orgUnitId and everyone.', {
        hint: 'Name one of them.',
      });
    const ofProject = target.projectId == null ? {} : await membersOf(caller, target.projectId);
    const among = target.orgUnitId == null ? ofProject : await inUnit(caller, target.orgUnitId);
    const tagged = target.tag == null ? {} : { tags: target.tag };
    const found = await identities(caller.tenantId)
      .find({ deletedAt: null, isActive: true, ...tagged, ...among }, { sort: { _id: 1 }, limit: mostRecipients + 2 })
      .toArray();
    if (found.length <= mostRecipients + 1) return found;
    throw new Fault('VALIDATION_FAILED', `A broadcast reaches ${mostRecipients} identities at most.`, {
      hint: 'Send it to tags, one after the other.',
    });
  };

  return {
    inbox: async ({ caller, query: { identityId, ...query } }) => {
      const { items, totalCount } = await reads.inbox(await viewerOf(caller, identityId), query);
      return toPage(items, totalCount, query);
    },
    sent: async ({ caller, query: { identityId, ...query } }) => {
      const { items, totalCount } = await reads.sent(await viewerOf(caller, identityId), query);
      return toPage(items, totalCount, query);
    },
    pendingReplies: async ({ caller, query: { identityId, sort = 'createdAtUtc', ...query } }) => {
      const viewer = await viewerOf(caller, identityId);
      const { items, totalCount } = await reads.inbox(viewer, { ...query, sort, awaitsReply: true });
      return toPage(items, totalCount, query);
    },
    search: async ({ caller, query: { identityId, limit = plainHits, ...query } }) =>
      reads.search(await viewerOf(caller, identityId), { ...query, limit }),
    send: async ({ caller, body: { senderId, ...body } }) => {
      const { identityId } = await viewerOf(caller, senderId);
      if (body.runId != null) await findRun(caller, body.runId);
      const draft = { ...given(body), recipientIds: body.recipientIds, content: body.content };
      return (await inbox.send({ ...draft, tenantId: caller.tenantId, senderId: identityId })).message;
    },
    reply: async ({ caller, params, body: { senderId, replyToAll, ...body } }) => {
      const { message, viewer } = await find(caller, params.id);
      const sender = senderId == null ? viewer : await viewerOf(caller, senderId);
      const { dto } = senderId == null ? { dto: true } : { dto: await reads.one(sender, message) };
      if (!dto)
        throw new Fault('NOT_FOUND', `Identity ${sender.identityId} has no message ${params.id}.`, {
          hint: 'Reply as somebody who has it.',
        });
      const all = [
        message.senderId,
        ...message.recipients.filter(({ refused }) => !refused).map((one) => one.identityId),
      ];
      const others = [...new Set(all)].filter((id) => id !== sender.identityId);
      // Who answers themselves goes on with those whom they wrote to.
      const toAll = replyToAll || message.senderId === sender.identityId;
      const recipientIds = toAll && others.length > 0 ? others : [message.senderId];
      const sent = await inbox.send({
        ...given(body),
        content: body.content,
        type: body.type ?? (message.requiresReply ? 'Answer' : 'Text'),
        priority: body.priority ?? message.priority,
        tenantId: caller.tenantId,
        senderId: sender.identityId,
        recipientIds,
        threadId: message.threadId,
        replyToId: message._id,
      });
      return sent.message;
    },
    get: async ({ caller, params }) => (await find(caller, params.id)).dto,
    remove: async ({ caller, params }) => {
      const { viewer } = await find(caller, params.id);
      await inbox.takeOut(viewer, params.id);
      return null;
    },
    mark: async ({ caller, params, body }) => {
      const { viewer } = await find(caller, params.id);
      const which = { ...viewer, messageIds: [params.id] };
      await (body.isRead === false ? inbox.markUnread(which) : inbox.markRead(which));
      return null;
    },
    markMany: async ({ caller, body: { identityId, messageIds, threadId, all } }) => {
      if ([messageIds, threadId, all || null].filter((one) => one != null).length !== 1)
        throw new Fault('VALIDATION_FAILED', 'One of messageIds, threadId and all says what to mark.', {
          hint: 'Name one of them.',
        });
      const viewer = await viewerOf(caller, identityId);
      return inbox.markRead({
        ...viewer,
        ...(messageIds == null ? {} : { messageIds }),
        ...(threadId == null ? {} : { threadId }),
      });
    },
    broadcast: async ({ caller, body: { senderId, content, type, priority = 'Normal', ...target } }) => {
      const viewer = await viewerOf(caller, senderId);
      const found = await audience(caller, target);
      const sender = await identities(caller.tenantId).findOne({ _id: viewer.identityId });
      const others = found.filter((one) => one._id !== viewer.identityId);
      const verdicts = others.map((one) => ({
        one,
        reason: sender ? verdictOf(sender, one, priority ?? 'Normal') : 'The sender is gone.',
      }));
      const recipients = verdicts.filter(({ reason }) => reason === null).map(({ one }) => one._id);
      if (recipients.length === 0)
        throw new Fault('MESSAGING_BLOCKED', 'Nobody would get this broadcast.', {
          hint: 'Choose another tag or priority; list tags with GET /api/identities/tags.',
        });
      const { message } = await inbox.send({
        tenantId: caller.tenantId,
        senderId: viewer.identityId,
        recipientIds: recipients,
        content,
        type: type ?? 'Broadcast',
        priority: priority ?? 'Normal',
        projectId: target.projectId ?? null,
      });
      const skipped = verdicts.flatMap(({ one, reason }) =>
        reason === null ? [] : [{ identityId: one._id, identityName: one.displayName, reason }],
      );
      return { message, recipientCount: recipients.length, skipped };
    },
    threads: async ({ caller, query: { identityId, ...query } }) => {
      const { items, totalCount } = await views.list(await viewerOf(caller, identityId), query);
      return toPage(items, totalCount, query);
    },
    thread: async ({ caller, params, query }) => {
      const { thread, viewer } = await findThread(caller, params.threadId);
      return views.detail(viewer, thread, query);
    },
    archive: async ({ caller, params, body }) => {
      const { thread, viewer } = await findThread(caller, params.threadId);
      await inbox.archive(viewer, thread, body.archived ?? true);
      return views.one(viewer, thread);
    },
  };
});

interface Target {
  tag?: string | null | undefined;
  orgUnitId?: number | null | undefined;
  projectId?: number | null | undefined;
  everyone?: boolean | null | undefined;
}
