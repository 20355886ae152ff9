// Counts of the writes that the detail of a run may show.
import { feedbackSpec } from '../groups/agent/feedback/feedback.ts';
import { noteSpec } from '../groups/agent/notes/notes.ts';
import type { DetailCounts } from '../groups/agent/runs/detail-texts.ts';
import { chatSessionSpec } from '../groups/chat/documents.ts';
import { entrySpec, messageSpec } from '../groups/messages/documents.ts';
import type { Db } from '../ports/db.ts';
import { checkpoints, escalations, eventPacks, events, runs } from '../stores/runs/collections.ts';

/** Null where the store does not count them: others write to it, too. */
export const detailCounts = ({ changes }: Pick<Db, 'changes'>): DetailCounts | null =>
  changes
    ? {
        byRun: [
          changes(runs, 'parentRunId'),
          changes(events, 'runId'),
          changes(eventPacks, 'runId'),
          changes(checkpoints, 'runId'),
          changes(escalations, 'runId'),
          changes(noteSpec, 'runId'),
          changes(feedbackSpec, 'runId'),
          changes(messageSpec, 'runId'),
          changes(chatSessionSpec, 'aboutRunId'),
        ],
        mailboxes: changes(entrySpec, 'tenantId'),
      }
    : null;
