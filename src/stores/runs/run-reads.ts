// Reads of runs and their logs; entries that are still in a run's outbox are part of every answer.
import type { RunDocuments, RunQuery } from '../../../runtime/ports.ts';
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import { eventView } from '../../../runtime/views/run.ts';
import { type RunText, runTextOf } from '../../../runtime/views/run-text.ts';
import { clocksDifferMs } from '../../kernel/clock.ts';
import type { Collection, Db, Filter, FindCursor, Sort } from '../../ports/db.ts';
import { contains } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import * as spec from './collections.ts';
import { recordOf } from './documents.ts';
import type { createRunOpener } from './long-lists.ts';
import { unpackMessage } from './outbox.ts';
import { createStoredEvents, firstOf, fits } from './stored-events.ts';

/** Number of rows up to which skipping is as fast as counting. */
const farSkip = 500;

const ended = ['Completed', 'Failed', 'TimedOut', 'Cancelled'] as const;

/** A run that lists share, or the document of a run with chunks elsewhere. */
type Listed = { run: RunRecord } | { document: spec.RunDocument };

/** Run of a document without what is sealed or stored elsewhere, which no view shows. */
const shown = (document: spec.RunDocument): RunRecord | RunText => recordOf<RunRecord>(document, spec.ownOfDocument);

type ReadPage<R> = (found: FindCursor<spec.RunDocument>) => Promise<R[]>;

type Reads = Omit<RunDocuments, 'get' | 'insert' | 'update' | 'remove' | 'packEvents'>;

/**
 * Reads over any Db. The outbox is read before the logs: what leaves it in between is in them by then; `known` says what
 * is in it, where that needs no read.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same documents and their cache, read at every step of a run.
export function createRunReads(
  db: Db,
  runOf: ReturnType<typeof createRunOpener>,
  known: (runId: number) => spec.Outbox | undefined,
): Reads {
  const runs = db.collection(spec.runs);
  const find = async (filter: Filter<spec.RunDocument>, sort: Sort<spec.RunDocument>, limit: number) =>
    Promise.all((await runs.find(filter, { sort, limit }).toArray()).map(runOf));

  /** Run of a document, unless a part of it is stored elsewhere. Lists share it. */
  const listed = (document: spec.RunDocument): Listed =>
    document.moved ? { document } : { run: runOf(document) as RunRecord };
  const wholeOf = (one: Listed) => ('run' in one ? one.run : runOf(structuredClone(one.document)));

  /** The same page by the reversed order. */
  const fromEnd = async <R>(
    filter: Filter<spec.RunDocument>,
    { sort, skip, limit }: { sort: Sort<spec.RunDocument>; skip: number; limit: number },
    total: number,
    read: ReadPage<R>,
  ) => {
    const count = Math.min(limit, total - skip);
    if (count <= 0) return [];
    const reversed = Object.fromEntries(Object.entries(sort).map(([name, way]) => [name, way === 1 ? -1 : 1]));
    const options = { sort: reversed as Sort<spec.RunDocument>, skip: total - skip - count, limit: count };
    return (await read(runs.find(filter, options))).reverse();
  };

  const pageOf = async <R>(query: RunQuery, read: ReadPage<R>) => {
    const filter = listFilter(query);
    const sort = sortOf(query);
    const { skip = 0, limit } = query;
    const counting = query.counted === false ? 0 : runs.countDocuments(filter);
    // Skipping costs a step a row, so pages of the second half are read from the end.
    const isFar = query.counted !== false && skip > farSkip && skip * 2 > (await counting);
    const options = { sort, skip, limit };
    const [items, total] = await Promise.all([
      isFar ? fromEnd(filter, options, await counting, read) : read(runs.find(filter, options)),
      counting,
    ]);
    return { items, total };
  };

  /** Entries that may not be in the logs yet, written by another process. */
  const pending = async (runId: number): Promise<spec.Outbox | null> => {
    const document = await runs.findOne({ _id: runId, dirty: true }, { projection: { outbox: 1 } });
    return document?.outbox ?? null;
  };

  const logged = createStoredEvents(db);
  const reads: Reads = {
    async many(ids) {
      if (ids.length === 0) return [];
      const found = await find({ _id: { $in: [...ids] } }, { _id: 1 }, ids.length);
      const byId = new Map(found.map((run) => [run.id, run]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    async list(query) {
      const { items, total } = await pageOf(query, (found) => found.made(listed));
      return { items: await Promise.all(items.map(wholeOf)), total };
    },
    listTexts: (query) => pageOf(query, (found) => found.made(shown, runTextOf)),
    async messages(runId, from, to) {
      const waiting = known(runId) ?? (await pending(runId));
      const range = { $gte: from, ...(to === undefined ? {} : { $lt: to }) };
      const stored = await db
        .collection(spec.messages)
        .find({ runId, index: range }, { sort: { index: 1 } })
        .toArray();
      const all = new Map(stored.map((one) => [one.index, one as spec.Outbox['messages'][number]]));
      for (const one of waiting?.messages ?? []) {
        if (one.index >= from && (to === undefined || one.index < to)) all.set(one.index, one);
      }
      return [...all.values()].sort((a, b) => a.index - b.index).map(unpackMessage);
    },
    async toolCalls(runId, messageIndex) {
      const waiting = known(runId) ?? (await pending(runId));
      const stored = await db
        .collection(spec.toolCalls)
        .find({ runId, messageIndex }, { sort: { position: 1 } })
        .toArray();
      const all = new Map(
        stored.map(({ _id, runId: _r, messageIndex: _m, position: _p, version: _v, ...call }) => [call.key, call]),
      );
      for (const call of waiting?.toolCalls ?? []) {
        if (call.key.startsWith(`${messageIndex}.`)) all.set(call.key, call);
      }
      const position = (key: string) => Number(key.slice(key.indexOf('.') + 1));
      return [...all.values()].sort((a, b) => position(a.key) - position(b.key));
    },
    async events(runId, query) {
      const waiting = known(runId) ?? (await pending(runId));
      const stored = (await logged.find(runId, query)).map((one) => recordOf<AgentEvent>(one));
      const others = (waiting?.events ?? []).filter((event) => fits(event, query));
      return firstOf([...stored, ...others], query);
    },
    async eventTexts(runId, query) {
      const waiting = known(runId) ?? (await pending(runId));
      if (waiting?.events.length) return JSON.stringify((await reads.events(runId, query)).map(eventView));
      return logged.texts(runId, query);
    },
    ...createRunPolls(runs, find),
  };
  return reads;
}

type Find = (filter: Filter<spec.RunDocument>, sort: Sort<spec.RunDocument>, limit: number) => Promise<RunRecord[]>;

/** What the engine looks for each second. */
function createRunPolls(
  runs: Collection<spec.RunDocument>,
  find: Find,
): Pick<Reads, 'runnable' | 'orphans' | 'overdue' | 'unfinished'> {
  const live = { $nin: [...ended] };
  return {
    runnable: polled(runs, (limit) => find({ runnable: true }, { runnableSince: 1, _id: 1 }, limit)),
    orphans: polled(runs, (alive, limit) => find({ owner: { $gt: '', $nin: [...alive] } }, { _id: 1 }, limit), {
      owner: { $gt: '' },
    }),
    overdue: polled(
      runs,
      (now, limit) => find({ deadlineAt: { $gt: 0, $lte: now }, status: live }, { deadlineAt: 1, _id: 1 }, limit),
      { deadlineAt: { $gt: 0 }, status: live },
    ),
    unfinished: polled(
      runs,
      (before, limit) => {
        // A change of a time that is yet to come was made by a clock that was ahead.
        const old = [{ updatedAt: { $lte: before } }, { updatedAt: { $gt: before + clocksDifferMs } }];
        return find({ unfinished: true, owner: null, $or: old }, { _id: 1 }, limit);
      },
      { unfinished: true },
    ),
  };
}

/** Filters with many matches, whose indexes are in order of time. */
const classes: readonly string[] = ['status', 'role', 'modelId'];

function sortOf({ sort, descending }: RunQuery): Sort<spec.RunDocument> {
  const field = sort ?? 'createdAt';
  const direction = (sort ? descending : true) ? -1 : 1;
  const fields = field === 'id' ? ['_id'] : classes.includes(field) ? [field, 'createdAt', '_id'] : [field, '_id'];
  return Object.fromEntries(fields.map((name) => [name, direction])) as Sort<spec.RunDocument>;
}

function listFilter(query: RunQuery): Filter<spec.RunDocument> {
  const filter: Record<string, unknown> = { tenantId: query.tenantId };
  if (query.status) filter.status = { $in: query.status };
  for (const field of [
    'projectId',
    'taskId',
    'identityId',
    'role',
    'modelId',
    'parentRunId',
    'rootRunId',
    'mcpOwner',
  ] as const) {
    if (query[field] !== undefined) filter[field] = query[field];
  }
  if (query.projectId === undefined && query.hiddenProjects?.length) filter.projectId = { $nin: query.hiddenProjects };
  if (query.rootsOnly) filter.parentRunId = null;
  if (query.q) filter.goal = { $regex: contains(query.q), $options: 'i' };
  const created = {
    ...(query.from === undefined ? {} : { $gte: query.from }),
    ...(query.to === undefined ? {} : { $lt: query.to }),
  };
  if (Object.keys(created).length > 0) filter.createdAt = created;
  if (query.minCostUsd !== undefined) filter.costUsd = { $gte: query.minCostUsd };
  return filter as Filter<spec.RunDocument>;
}
