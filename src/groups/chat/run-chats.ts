// Chats about runs: one for each run and person, with the agent of the run.
import type { Chat } from '../../../runtime/chat/chat.ts';
import type { ChatSink } from '../../../runtime/chat/ports.ts';
import { anyModel } from '../../../runtime/model.ts';
import type { RunRecord } from '../../../runtime/records.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Ids } from '../../ports/ids.ts';
import { onceMark } from '../../ports/once.ts';
import { type Access, ownedBy } from './access.ts';
import type { ChatDocuments } from './documents.ts';
import type { ChatSessionDetailDto } from './dto.ts';
import { add, detailOf, newSession } from './sessions.ts';

interface Deps extends Pick<ChatDocuments, 'sessions' | 'messages'> {
  access: Access;
  chat: Pick<Chat, 'start'>;
  sink: ChatSink;
  ids: Ids;
  clock: Clock;
}

export interface RunChats {
  /** The caller's chat about a run; a message in it is answered by the run's agent. */
  open(
    caller: Caller,
    run: RunRecord,
    told: { about: string; message: string | null; modelId: string | null },
  ): Promise<ChatSessionDetailDto>;
  /** The newest chat about a run; null when there is none. */
  newest(run: RunRecord): Promise<number | null>;
}

export function createRunChats(deps: Deps): RunChats {
  const { sessions, access, chat, ids, clock } = deps;
  return {
    async open(caller, run, { about, message, modelId }) {
      const { tenantId } = caller;
      const now = clock.now();
      const known = await sessions(tenantId).findOneAndUpdate(
        { ...ownedBy(caller), aboutRunId: run.id },
        { $set: { systemPrompt: about, updatedAt: now, ...(modelId === null ? {} : { modelId }) } },
      );
      const id = known?._id ?? (await ids.next('chat_sessions'));
      if (!known) {
        const session = {
          ...newSession(caller, id, now),
          title: `Run ${run.id}: ${run.goal}`.slice(0, 80),
          titled: true,
          clientId: 'run',
          aboutRunId: run.id,
          identityId: run.identityId,
          projectId: run.projectId,
          modelId: modelId ?? anyModel,
          systemPrompt: about,
        };
        await add(deps, session);
        noteWrite(caller, { kind: 'chat session', how: 'created', doc: { _id: id, ...session }, before: null });
      }
      const mark = onceMark();
      const once = mark === null ? {} : { idempotencyKey: mark };
      if (message !== null) await chat.start({ tenantId, sessionId: id, message, ...once });
      return detailOf(deps, await access.session(caller, id));
    },
    async newest({ tenantId, id }) {
      const found = await sessions(tenantId).findOne({ aboutRunId: id, deletedAt: null }, { sort: { _id: -1 } });
      return found?._id ?? null;
    },
  };
}
