// The notes of runs: stored once a key, announced to whoever watches the run.
import type { AgentRunNoteType } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Db } from '../../../ports/db.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import { createKeeper } from '../../../ports/keeper.ts';
import { type Draft, record } from '../../../ports/record.ts';
import { shown } from '../../../ports/shown.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { AgentRunNoteDto } from '../dto.ts';

export interface NoteDoc {
  _id: number;
  guid: string;
  tenantId: number;
  runId: number;
  taskId: number | null;
  type: AgentRunNoteType;
  content: string;
  /** Set by writers that may repeat themselves; unique within the run. */
  key: string | null;
  createdAt: Date;
}

const noteRecord = record<NoteDoc>('agent_notes', {
  noun: 'note',
  list: 'GET /api/agent/runs/{runId}/notes',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, runId: 1, createdAt: -1 } },
    { keys: { runId: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $gt: '' } } },
  ],
});

export const { spec: noteSpec } = noteRecord;

export function createNotes({ publisher, ...deps }: { db: Db; ids: Ids; clock: Clock; publisher: Publisher }) {
  const notes = createKeeper(noteRecord, {
    ...deps,
    told: ({ doc }) =>
      publisher.publish({
        tenantId: doc.tenantId,
        topics: [`run:${doc.runId}`],
        type: 'run.note',
        data: toNoteDto(doc),
      }),
  });
  return {
    ...notes,
    /** Adds a note, or answers with the one that has this key already. */
    async add(draft: Draft<NoteDoc> & { tenantId: number }): Promise<AgentRunNoteDto> {
      try {
        return toNoteDto(await notes.insert(draft, draft));
      } catch (error) {
        const earlier =
          isDuplicate(error) && (await notes.of(draft.tenantId).findOne({ runId: draft.runId, key: draft.key }));
        if (earlier) return toNoteDto(earlier);
        throw error;
      }
    },
  };
}
export type Notes = ReturnType<typeof createNotes>;

export const toNoteDto = (note: NoteDoc): AgentRunNoteDto => shown(AgentRunNoteDto, note, { agentRunId: note.runId });
