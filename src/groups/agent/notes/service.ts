// Lists and adds the notes of a run.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentNotes } from './contract.ts';
import { type Notes, toNoteDto } from './notes.ts';

interface Deps {
  notes: Notes;
  findRun: FindRun;
  log: WriteLog;
}

export const agentNotesService = implement(agentNotes, ({ notes, findRun, log }: Deps) => ({
  list: aboutRun(findRun)(async ({ caller, run, query }) => {
    const { items, totalCount } = await notes.page(caller, query, { within: { runId: run.id } });
    return toPage(items.map(toNoteDto), totalCount, query);
  }),
  create: aboutRun(findRun)(async ({ caller, params, body }) => {
    const note = await notes.add({
      tenantId: caller.tenantId,
      runId: params.runId,
      taskId: body.taskId ?? null,
      type: body.type ?? 'Operator',
      content: body.content,
      key: null,
    });
    await log(params.runId, [
      { type: 'NoteAdded', title: note.type, message: note.content, payload: { noteId: note.id, by: caller.name } },
    ]);
    return note;
  }),
}));
