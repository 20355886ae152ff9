// Access to sessions: only the person or agent who owns a chat sees it.
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type ChatDocuments, type ChatMessageDoc, type ChatSessionDoc, chatSessionSpec } from './documents.ts';

/** The sessions of a caller. */
export function ownedBy(caller: Caller): Filter<ChatSessionDoc> {
  const { userId, identityId } = caller;
  const own: Filter<ChatSessionDoc>[] = [
    ...(userId === null ? [] : [{ userId }]),
    ...(identityId === null ? [] : [{ ownerIdentityId: identityId }]),
  ];
  return { deletedAt: null, ...visibleTo<ChatSessionDoc>(caller), $or: own.length > 0 ? own : [{ _id: -1 }] };
}

export interface Access {
  /** @throws Fault NOT_FOUND, for others' sessions alike */
  session(caller: Caller, id: number): Promise<ChatSessionDoc>;
  /** @throws Fault NOT_FOUND */
  message(caller: Caller, id: number): Promise<{ message: ChatMessageDoc; session: ChatSessionDoc }>;
}

export function createAccess({ sessions, messages }: Pick<ChatDocuments, 'sessions' | 'messages'>): Access {
  const find = (caller: Caller, id: number) => sessions(caller.tenantId).findOne({ ...ownedBy(caller), _id: id });
  return {
    async session(caller, id) {
      const session = await find(caller, id);
      if (session) return session;
      throw new Fault('NOT_FOUND', `There is no chat session ${id}.`, {
        hint: 'List them with GET /api/chat/sessions.',
      });
    },
    async message(caller, id) {
      const message = await messages(caller.tenantId).findOne({ _id: id });
      const session = message && (await find(caller, message.sessionId));
      if (message && session) return { message, session };
      throw new Fault('NOT_FOUND', `There is no chat message ${id}.`, {
        hint: 'List them with GET /api/chat/sessions/{sessionId}/messages.',
      });
    },
  };
}

/** Whether a session is the caller's. */
export type MayReadChat = (caller: Caller, id: number) => Promise<boolean>;

export function createMayReadChat(db: Db): MayReadChat {
  const sessions = perTenant(db.collection(chatSessionSpec));
  return async (caller, id) => {
    const own = { ...ownedBy(caller), _id: id };
    return (await sessions(caller.tenantId).findOne(own, { projection: { _id: 1 } })) !== null;
  };
}
