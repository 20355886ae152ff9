// Lists and adds the notes of a run.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import type { FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentNotes } from './contract.ts';
import { type Notes, toNoteDto } from './notes.ts';

interface Deps {
  notes: Notes;
  findRun: FindRun;
  log: WriteLog;
}

export const agentNotesService = implement(agentNotes, ({ notes, findRun, log }: Deps) => ({
  list: async ({ caller, params, query }) => {
    await findRun(caller, params.runId);
    const filter = {
      runId: params.runId,
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.taskId === undefined ? {} : { taskId: query.taskId }),
    };
    const sort = sortOf<never>(query.sort ?? '-createdAtUtc');
    const { items, totalCount } = await pageOf(notes.of(caller.tenantId), { ...query, filter, sort });
    return toPage(items.map(toNoteDto), totalCount, query);
  },
  create: async ({ caller, params, body }) => {
    await findRun(caller, params.runId);
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
  },
}));
