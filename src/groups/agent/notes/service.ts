// Lists and adds the notes of a run.
import { implement } from '../../../contract/operation.ts';
import { kept } from '../../kept.ts';
import type { FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentNotes } from './contract.ts';
import { type Notes, toNoteDto } from './notes.ts';

interface Deps {
  notes: Notes;
  findRun: FindRun;
  log: WriteLog;
}

export const agentNotesService = implement(agentNotes, ({ notes, findRun, log }: Deps) =>
  kept(agentNotes, notes, {
    below: { param: 'runId', parent: findRun },
    show: toNoteDto,
    draft: (body, _caller, run) => ({
      runId: run.id,
      taskId: body.taskId ?? null,
      type: body.type ?? ('Operator' as const),
      content: body.content,
      key: null,
    }),
    wrote: async (note, { name }) => {
      const payload = { noteId: note._id, by: name };
      await log(note.runId, [{ type: 'NoteAdded', title: note.type, message: note.content, payload }]);
    },
  }),
);
