// Hosts of a council: a run, which pays from its budgets, or a chat.
import { anyModel, type ModelMessage } from '../../model.ts';
import type { EventDraft } from '../../records.ts';
import type { CouncilRecord } from '../../state/council.ts';
import { emit } from '../records/announce.ts';
import { commitOwned } from '../records/commits.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { treeOf } from '../records/known-trees.ts';
import { auxCall } from '../turn/aux-call.ts';
import { modelOf, plainBriefing } from '../turn/prompt.ts';

export interface Question {
  modelId: string;
  messages: ModelMessage[];
  maxOutputTokens: number;
  /** Role of the speaker, for routes and the ledger; default: the role of the council's convener. */
  role?: string;
  identityId?: number;
  onText(delta: string): void;
}

export interface CouncilHost {
  place: Pick<CouncilRecord, 'tenantId' | 'runId' | 'rootRunId' | 'chatSessionId'>;
  /** Model of participants that name none. */
  modelId: string;
  signal: AbortSignal;
  /** Councils that this host held before. */
  earlier(): Promise<CouncilRecord[]>;
  /** Answer text of one question; null when the budget is exhausted. */
  ask(question: Question): Promise<string | null>;
  /** Writes an event into the host's log, if it has one. */
  note(event: EventDraft): Promise<void>;
  /** Publishes a participant's words while they stream. */
  hear(words: { index: number; delta: string; speaker: string; modelId: string }): void;
}

/** A run at work as host of a council. */
export function runHost(core: Core, live: LiveRun): CouncilHost {
  const { tenantId, id: runId, rootRunId } = live.run;
  return {
    place: { tenantId, runId, rootRunId, chatSessionId: null },
    modelId: modelOf(live.run, live.briefing ?? plainBriefing),
    signal: live.abort.signal,
    earlier: () => core.store.councils.ofRun(runId),
    async ask(question) {
      for (;;) {
        const text = await auxCall(core, live, { ...question, purpose: 'Council' });
        if (text !== null || !(await isStopped(core, live))) return text;
      }
    },
    async note(event) {
      await commitOwned(core, live, () => ({ set: { escalated: true }, events: [event] }));
    },
    hear: ({ index, delta, speaker, modelId }) =>
      emit(core, live.run, 'run.delta', {
        runId,
        rootRunId,
        iteration: live.run.iterationsUsed,
        index,
        kind: 'Content',
        delta,
        toolCallId: speaker,
        modelId,
      }),
  };
}

/**
 * Whether the tree has stopped this run, so that its pool refuses. Throws the Stop once the request has reached the
 * run.
 */
async function isStopped(core: Core, live: LiveRun): Promise<boolean> {
  const tree = await treeOf(core, live.run.rootRunId);
  if (!tree.members.get(live.run.id)?.stop) return false;
  await commitOwned(core, live, () => ({}));
  if (live.run.control) throw new Stop(live.run.control.kind);
  await core.clock.sleep(50, live.abort.signal);
  return true;
}

export interface ChatPlace {
  tenantId: number;
  chatSessionId: number;
  /** Identity of the chat, for routes and the ledger. */
  identityId: number | null;
  userId: number | null;
  /** Model of participants that name none; null lets routes choose. */
  modelId: string | null;
  signal: AbortSignal;
}

/** A chat session as host of a council; the gateway's ledger counts its cost. */
export function chatHost(core: Core, chat: ChatPlace): CouncilHost {
  const { tenantId, chatSessionId, identityId, userId, signal } = chat;
  return {
    place: { tenantId, runId: null, rootRunId: null, chatSessionId },
    modelId: chat.modelId ?? anyModel,
    signal,
    earlier: () => core.store.councils.ofChat(chatSessionId),
    async ask({ onText, ...question }) {
      let text = '';
      const stream = core.model.stream({
        ...(identityId === null ? {} : { identityId }),
        ...(userId === null ? {} : { userId }),
        ...question,
        tenantId,
        chatSessionId,
        purpose: 'Council',
        signal,
      });
      for await (const event of stream) {
        if (event.type !== 'text') continue;
        text += event.delta;
        onText(event.delta);
      }
      return text;
    },
    note: async () => {},
    hear: () => {},
  };
}
