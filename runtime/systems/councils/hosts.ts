// What holds a council: a run, which pays for it from its budgets, or a chat.
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
  /** Who speaks, for routes and the ledger; else who convened the council. */
  role?: string;
  identityId?: number;
  onText(delta: string): void;
}

export interface CouncilHost {
  place: Pick<CouncilRecord, 'tenantId' | 'runId' | 'rootRunId' | 'chatSessionId'>;
  /** The model of participants that have none of their own. */
  modelId: string;
  signal: AbortSignal;
  /** Councils that were held here. */
  earlier(): Promise<CouncilRecord[]>;
  /** The answer's text; null when nothing is left to pay for it. */
  ask(question: Question): Promise<string | null>;
  /** Writes what happened into the log of the place, if it keeps one. */
  note(event: EventDraft): Promise<void>;
  /** Shows words of a participant while they come. */
  hear(words: { index: number; delta: string; speaker: string; modelId: string }): void;
}

/** The run at work as the place of a council. */
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

/** Whether the tree has stopped this run, which makes its pool refuse. Throws the Stop once the request has reached the run. */
async function isStopped(core: Core, live: LiveRun): Promise<boolean> {
  const tree = await treeOf(core, live.run.rootRunId);
  if (!tree.members[live.run.id]?.stop) return false;
  await commitOwned(core, live, () => ({}));
  if (live.run.control) throw new Stop(live.run.control.kind);
  await core.clock.sleep(50, live.abort.signal);
  return true;
}

export interface ChatPlace {
  tenantId: number;
  chatSessionId: number;
  /** Who talks there, for routes and the ledger. */
  identityId: number | null;
  userId: number | null;
  /** The model of participants that have none of their own; whichever routes choose when null. */
  modelId: string | null;
  signal: AbortSignal;
}

/** A chat session as the place of a council: the ledger of the gateway counts what it costs. */
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
