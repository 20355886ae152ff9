// What other parts keep about a run, as its detail shows it.
import type { RunStore } from '../../../../runtime/ports.ts';
import { escalationView } from '../../../../runtime/views/escalation.ts';
import type { RunChats } from '../../chat/run-chats.ts';
import type { Inbox } from '../../messages/inbox.ts';
import { type Feedback, toFeedbackDto } from '../feedback/feedback.ts';
import { type Notes, toNoteDto } from '../notes/notes.ts';
import type { DetailParts } from './detail.ts';

interface Deps {
  notes: Notes;
  feedback: Feedback;
  inbox: Inbox;
  escalations: RunStore['escalations'];
  chats: Pick<RunChats, 'newest'>;
}

/** Items of each kind that a detail shows; their own lists have the rest. */
const shown = 50;
const newest = { sort: { createdAt: -1, _id: -1 }, limit: shown } as const;

export function createDetailParts({ notes, feedback, inbox, escalations, chats }: Deps): DetailParts {
  return {
    notes: async (run) => (await notes.of(run.tenantId).find({ runId: run.id }, newest).toArray()).map(toNoteDto),
    feedback: async (run) =>
      (await feedback.of(run.tenantId).find({ runId: run.id }, newest).toArray()).map(toFeedbackDto),
    escalations: async (run) => (await escalations.ofRun(run.id)).slice(-shown).reverse().map(escalationView),
    pauseChat: (run) => chats.newest(run),
    messages: async (run) =>
      inbox.toDtos(run.tenantId, await inbox.messages(run.tenantId).find({ runId: run.id }, newest).toArray()),
  };
}
