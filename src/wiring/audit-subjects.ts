// What operations are about that write by other means than keepers: the audit log digests it before and after them.
import type { AuthCollections } from '../auth/collections.ts';
import { hashSecret } from '../auth/keys.ts';
import { ledgerRecord } from '../groups/agent/routines/record.ts';
import { taskSpec } from '../groups/agent/tasks/tasks.ts';
import { ownedBy } from '../groups/chat/access.ts';
import { chatMessageSpec, chatSessionSpec } from '../groups/chat/documents.ts';
import { keptResponseSpec } from '../groups/chat-completions/kept-responses.ts';
import { sessionNamed } from '../groups/chat-ui/service.ts';
import { entrySpec, memberSpec, messageSpec, threadSpec } from '../groups/messages/documents.ts';
import { relationshipRecord } from '../groups/relationships/record.ts';
import { workspaceRecord } from '../groups/workspaces/records.ts';
import type { About, KeptAs, Subject, SubjectOf } from '../ports/audit.ts';
import type { Collection, Db } from '../ports/db.ts';
import { escalations, runs } from '../stores/runs/collections.ts';

/** Documents that one operation is said to be about; messages to everybody are about many. */
const most = 50;

interface Of {
  tenantId: number;
}
type Ids = (about: About) => readonly unknown[];

const given = ({ params }: About, name: string) => params[name];
const made = ({ result }: About, name = 'id') => (result as Record<string, unknown> | null)?.[name];
/** The id in the path, or of what was made. */
const byId: Ids = (about) => [given(about, 'id'), made(about)];
const by =
  (...names: string[]): Ids =>
  (about) =>
    names.map((name) => given(about, name));

const found = (kind: string, find: Subject['find']): Subject => ({ kind, find });

export function auditSubjects(db: Db, auth: AuthCollections): SubjectOf {
  const kept = (kind: string, { name }: { name: string }, ids: Ids): Subject => ({
    kind,
    find: async (about) => {
      const wanted = [...new Set(ids(about))].filter((id) => typeof id === 'number' || typeof id === 'string');
      if (wanted.length === 0 || !about.caller) return [];
      const { tenantId } = about.caller;
      return (db.collection(name) as Collection<KeptAs & Of>)
        .find({ tenantId, _id: { $in: wanted as number[] } })
        .toArray();
    },
  });
  const run = kept('run', runs, byId);
  const message = kept('message', messageSpec, (about) => [made(about)]);
  const chatSession = kept('chat session', chatSessionSpec, by('sessionId'));
  // An edit makes another message beside the old one.
  const chatMessage = kept('chat message', chatMessageSpec, (about) => [given(about, 'messageId'), made(about)]);
  const workspace = kept('workspace', workspaceRecord.spec, byId);
  const response = found('response', async (about) => {
    const responseId = given(about, 'responseId') ?? made(about);
    if (typeof responseId !== 'string' || !about.caller) return [];
    const { tenantId } = about.caller;
    return db.collection(keptResponseSpec).find({ tenantId, responseId }).toArray();
  });
  const subjects: Record<string, Subject> = {
    AgentRuns: run,
    Demo_run: run,
    AgentPauseChat: kept('run', runs, by('runId')),
    AgentBreakpoints: kept('run', runs, by('runId')),
    AgentEscalations: kept('escalation', escalations, byId),
    AgentMessages: message,
    AgentTasks: kept('task', taskSpec, byId),
    AgentRoutines_run: kept('routine run', ledgerRecord.spec, (about) => [made(about)]),
    ChatSession_ask: chatSession,
    ChatSession_stream: chatSession,
    ChatSession_stop: chatSession,
    ChatSession_addMessage: chatMessage,
    ChatSession_patchMessage: chatMessage,
    ChatSession_rate: chatMessage,
    ChatCompletionsCompat_respond: response,
    ChatCompletionsCompat_forget: response,
    ChatCompletionsCompat_cancel: response,
    ChatUi: found('chat session', async ({ body, caller }) => {
      const { id, threadId } = body as { id?: string; threadId?: string };
      if (!caller) return [];
      const own = { tenantId: caller.tenantId, ...ownedBy(caller), ...sessionNamed(id ?? threadId ?? '') };
      return db.collection(chatSessionSpec).find(own).toArray();
    }),
    Identities_setPresence: kept('identity', { name: auth.identities.collectionName }, by('id')),
    ...mailSubjects(db, message),
    Relationships_interact: kept('relationship', relationshipRecord.spec, by('id')),
    Users_remove: kept('user', { name: auth.users.collectionName }, by('id')),
    Users_close: kept('user', { name: auth.users.collectionName }, ({ caller }) => [caller?.userId]),
    Workspaces_remove: workspace,
    Workspaces_restore: workspace,
    ...accountSubjects(auth),
  };
  return (id) => subjects[id] ?? subjects[id.slice(0, id.indexOf('_'))];
}

/** Messages, and their entries in the mailboxes of those who have them. */
function mailSubjects(db: Db, message: Subject): Record<string, Subject> {
  const entries = db.collection(entrySpec);
  const members = db.collection(memberSpec);
  async function mailed(which: object, { caller }: About) {
    return entries.find({ tenantId: caller?.tenantId ?? 0, ...which }, { sort: { _id: -1 }, limit: most }).toArray();
  }
  const mail = found('message', async (about) => {
    const id = given(about, 'id') as number;
    const own = { tenantId: about.caller?.tenantId ?? 0, _id: id };
    const [sent, received] = await Promise.all([
      db.collection(messageSpec).find(own).toArray(),
      mailed({ messageId: id }, about),
    ]);
    return [...sent, ...received];
  });
  return {
    Messages_send: message,
    Messages_reply: message,
    Messages_broadcast: found('message', async ({ result, caller }) => {
      const { message: sent } = (result ?? {}) as { message?: { id: number } };
      const own = { tenantId: caller?.tenantId ?? 0, _id: sent?.id ?? 0 };
      return db.collection(messageSpec).find(own).toArray();
    }),
    // A message, and its entry in the mailbox of each who has it.
    Messages_mark: mail,
    Messages_remove: mail,
    Messages_markMany: found('mailbox entry', (about) => mailed(marked(about), about)),
    Messages_archive: found('thread of a member', async ({ params, caller }) => {
      const own = { _id: params.threadId as number, tenantId: caller?.tenantId ?? 0 };
      const thread = await db.collection(threadSpec).findOne(own);
      const ids = (thread?.participantIds ?? []).map((identityId) => `${own._id}:${identityId}`);
      return members.find({ _id: { $in: ids } }).toArray();
    }),
  };
}

/** Which entries of its caller's mailbox a request marks as read. */
function marked({ body, caller }: About): object {
  const { identityId, messageIds, threadId } = body as {
    identityId?: number | null;
    messageIds?: number[] | null;
    threadId?: number | null;
  };
  return {
    identityId: identityId ?? caller?.identityId ?? 0,
    ...(messageIds == null ? {} : { messageId: { $in: messageIds } }),
    ...(threadId == null ? {} : { threadId }),
  };
}

/** Signing in and out, and what a person does who is not signed in. */
function accountSubjects(auth: AuthCollections): Record<string, Subject> {
  const session: Subject = {
    kind: 'session',
    find: async (about) => {
      const id = given(about, 'id') ?? made(about, 'sessionId') ?? about.caller?.sessionId;
      const own = about.caller ? { tenantId: about.caller.tenantId } : {};
      return typeof id === 'number' ? auth.sessions.find({ _id: id, ...own }).toArray() : [];
    },
  };
  /** Until it is used, a mailed token says whose it is. */
  const users = new WeakMap<object, number>();
  const ofToken: Subject = {
    kind: 'user',
    find: async ({ body }) => {
      const { token } = body as { token: string };
      const known = users.get(body as object);
      const userId = known ?? (await auth.mailTokens.findOne({ hash: hashSecret(token) }))?.userId;
      if (userId === undefined) return [];
      users.set(body as object, userId);
      return auth.users.find({ _id: userId }).toArray();
    },
  };
  const ofCaller: Subject = {
    kind: 'user',
    find: async ({ caller }) => (caller?.userId == null ? [] : auth.users.find({ _id: caller.userId }).toArray()),
  };
  /** Until it is used, a code or refresh token says whose grant it is of. */
  const grants = new WeakMap<object, number>();
  const grantOf = async ({ body }: About): Promise<number | undefined> => {
    const { code, refresh_token, token } = body as { code?: string; refresh_token?: string; token?: string };
    if (code) return (await auth.oauthRequests.findOne({ codeHash: hashSecret(code) }))?.sessionId ?? undefined;
    const refresh = refresh_token ?? token;
    return refresh ? (await auth.sessions.findOne({ refreshHash: hashSecret(refresh) }))?._id : undefined;
  };
  const grant: Subject = {
    kind: 'session',
    find: async (about) => {
      const id = grants.get(about.body as object) ?? (await grantOf(about));
      if (id === undefined) return [];
      grants.set(about.body as object, id);
      return auth.sessions.find({ _id: id }).toArray();
    },
  };
  /** A browser that came back from a provider; its state says which sign-in that is. */
  const login: Subject = {
    kind: 'login',
    find: async ({ query }) => {
      const known = await auth.externalSignIns.findOne({ _id: hashSecret(String(query.state)) });
      return known?.loginId == null ? [] : auth.externalLogins.find({ _id: known.loginId }).toArray();
    },
  };
  return {
    OAuth_exchange: session,
    OAuth_callback: login,
    OAuthServer_token: grant,
    OAuthServer_revoke: grant,
    Auth_login: session,
    Auth_refresh: session,
    Auth_register: session,
    Auth_logout: session,
    Auth_endSession: session,
    Auth_enrollTotp: ofCaller,
    Auth_confirmEmail: ofToken,
    Auth_resetPassword: ofToken,
  };
}
