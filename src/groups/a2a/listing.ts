// Lists of tasks: those of a bot whose runs the caller may read, the one that changed last first.
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { RunRecord } from '../../../runtime/records.ts';
import type { Caller } from '../../contract/caller.ts';
import { mayReadIn } from '../../ports/in-project.ts';
import type { A2aBook } from './book.ts';
import type { A2aTaskDoc } from './record.ts';
import { changedAt, stateOf, taskOf } from './tasks.ts';

/** Tasks of a bot that are looked through, from the newest. */
const mostTasks = 2000;
const usualSize = 50;
const mostSize = 100;

export interface ListingDeps {
  book: Pick<A2aBook, 'tasks' | 'standingOf' | 'shown'>;
  manyRuns(ids: readonly number[]): Promise<RunRecord[]>;
}

interface Row {
  task: A2aTaskDoc;
  run: RunRecord;
}

export async function listTasks(
  { book, manyRuns }: ListingDeps,
  caller: Caller,
  botId: number,
  asked: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { contextId, historyLength, includeArtifacts, pageToken } = asked;
  const pageSize = sizeOf(asked.pageSize);
  const after = afterOf(pageToken);
  const since = timeOf(asked.statusTimestampAfter);
  const about = contextId === '' ? { botId } : { botId, contextId };
  const tasks = await book
    .tasks(caller.tenantId)
    .find(about, { sort: { createdAt: -1 }, limit: mostTasks })
    .toArray();
  const runs = new Map((await manyRuns(tasks.flatMap(({ runId }) => runId ?? []))).map((run) => [run.id, run]));
  const rows = tasks
    .flatMap((task): Row[] => {
      const run = runs.get(task.runId ?? -1);
      return run && mayReadIn(caller, run.projectId) ? [{ task, run }] : [];
    })
    .filter(({ run }) => asked.status === TaskState.TASK_STATE_UNSPECIFIED || stateOf(run) === asked.status)
    .filter(({ run }) => changedAt(run) >= since)
    .sort(byChange);
  const rest = after === null ? rows : rows.filter((row) => byChange(after, row) < 0);
  const shown = rest.slice(0, pageSize);
  const standings = await Promise.all(shown.map(({ task }) => book.standingOf(task)));
  const last = shown.at(-1);
  const told = standings
    .filter((standing) => standing !== null)
    .map(async (standing): Promise<Task> => {
      if (includeArtifacts) return book.shown(standing, historyLength, 'named');
      return { ...taskOf(standing, historyLength, []), artifacts: [] };
    });
  return {
    tasks: await Promise.all(told),
    nextPageToken: last && rest.length > shown.length ? tokenOf(last) : '',
    pageSize,
    totalSize: rows.length,
  };
}

type Place = { task: Pick<A2aTaskDoc, '_id'>; run: Pick<RunRecord, 'completedAt' | 'updatedAt'> };

const byChange = (a: Place, b: Place): number =>
  changedAt(b.run) - changedAt(a.run) || (a.task._id < b.task._id ? -1 : a.task._id > b.task._id ? 1 : 0);

const tokenOf = ({ task, run }: Row) => Buffer.from(`${changedAt(run)} ${task._id}`).toString('base64url');

function afterOf(token: string): Place | null {
  if (token === '') return null;
  const [, at, _id] = /^(\d{1,15}) (\S{1,64})$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || _id === undefined) throw new RequestMalformedError('pageToken: it is none of this server.');
  return { task: { _id }, run: { completedAt: Number(at), updatedAt: Number(at) } };
}

function sizeOf(given: number | undefined): number {
  if (given === undefined) return usualSize;
  if (Number.isInteger(given) && given >= 1 && given <= mostSize) return given;
  throw new RequestMalformedError(`pageSize: a whole number from 1 to ${mostSize}.`);
}

function timeOf(given: string | undefined): number {
  if (given === undefined) return 0;
  const time = Date.parse(given);
  if (Number.isNaN(time)) throw new RequestMalformedError('statusTimestampAfter: a time such as 2026-01-31T12:00:00Z.');
  return time;
}
