// The notes of runs: stored once a key, announced to whoever watches the run.
import { randomUUID } from 'node:crypto';
import type { AgentRunNoteType } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Db, defineCollection } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import type { AgentRunNoteDto } from '../dto.ts';

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

export const noteSpec = defineCollection<NoteDoc>({
  name: 'agentNotes',
  indexes: [
    { keys: { tenantId: 1, runId: 1, createdAt: -1 } },
    { keys: { runId: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $gt: '' } } },
  ],
});

export interface NoteDraft {
  tenantId: number;
  runId: number;
  taskId: number | null;
  type: AgentRunNoteType;
  content: string;
  key: string | null;
}

export function createNotes({ db, ids, clock, publisher }: { db: Db; ids: Ids; clock: Clock; publisher: Publisher }) {
  const notes = perTenant(db.collection(noteSpec));
  return {
    of: notes,
    /** Adds a note, or answers with the one that has this key already. */
    async add(draft: NoteDraft): Promise<AgentRunNoteDto> {
      const note: NoteDoc = {
        ...draft,
        _id: await ids.next('agentNotes'),
        guid: randomUUID(),
        createdAt: new Date(clock.now()),
      };
      try {
        await notes(draft.tenantId).insertOne(note);
      } catch (error) {
        const earlier =
          error instanceof Fault &&
          error.code === 'DUPLICATE' &&
          (await notes(draft.tenantId).findOne({ runId: draft.runId, key: draft.key }));
        if (earlier) return toNoteDto(earlier);
        throw error;
      }
      const dto = toNoteDto(note);
      await publisher.publish({
        tenantId: draft.tenantId,
        topics: [`run:${draft.runId}`],
        type: 'run.note',
        data: dto,
      });
      return dto;
    },
  };
}
export type Notes = ReturnType<typeof createNotes>;

export function toNoteDto(note: NoteDoc): AgentRunNoteDto {
  return {
    id: note._id,
    guid: note.guid,
    agentRunId: note.runId,
    taskId: note.taskId,
    type: note.type,
    content: note.content,
    createdAtUtc: note.createdAt.toISOString(),
  };
}
