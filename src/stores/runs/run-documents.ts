// Runs over any Db. A change and what it appends are one write: of all documents together where the store can, else of
// the run's document, whose outbox then empties into the logs.
import { setImmediate } from 'node:timers/promises';
import type { Committed, RunChange, RunDocuments } from '../../../runtime/ports.ts';
import type { AgentEvent, ChangeEvent, RunRecord } from '../../../runtime/records.ts';
import { numberEvent } from '../../../runtime/state/numbering.ts';
import { isLogAtRest } from '../../../runtime/state/run.ts';
import { inOrderOfView } from '../../../runtime/views/run-text.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Db, Filter, Update } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import * as spec from './collections.ts';
import { changedFields, ofTenant, tryDecide } from './documents.ts';
import { createPackRows } from './event-packs.ts';
import { createRunOpener, dropChunks, type PackedRun, packRun, putChunks } from './long-lists.ts';
import { appendTogether, emptyOutbox, flushOutbox, isEmpty, newestCalls, packMessage, sizeOf } from './outbox.ts';
import { createRunReads } from './run-reads.ts';
import type { RunSeals } from './sealed.ts';

/** A run as this process last saw or wrote it. */
interface Hot {
  run: RunRecord;
  outbox: spec.Outbox;
  /** Items of its lists that are stored elsewhere. */
  moved: spec.MovedItems;
  /** Flushes one after another. */
  flushing: Promise<void>;
  /** The outbox by the writes it came from; those in the logs are left out of the next write. */
  parts: Part[];
}

interface Part {
  version: number;
  outbox: spec.Outbox;
  inLogs: boolean;
}

/** Documents kept in memory at most; they only spare reads. */
const hotLimit = 5000;

/**
 * What was appended is kept in the run's document for so long, so that the steps of a quick turn go to the logs
 * together and not between two of its writes; no longer once there is this much of it.
 */
const gatherMs = 20;
const gatherEntries = 24;

type Together = NonNullable<Db['together']>;

/** A prepared change: the state after it, its fields, and the entries for the logs. */
interface Prepared {
  run: RunRecord;
  packed: PackedRun;
  part: spec.Outbox;
}

interface Deps {
  db: Db;
  ids: Ids;
  logger: Logger;
  clock: Clock;
  /** Whether this process alone writes runs, so that its memory holds the newest state. */
  alone: boolean;
  seals: RunSeals;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same documents and their cache, read at every step of a run.
export function createRunDocuments({ db, ids, logger, clock, alone, seals }: Deps): RunDocuments & {
  /** Empties the outboxes that dead processes left. */
  repair(): Promise<void>;
  /** Resolves when everything written so far is in the logs. */
  drain(): Promise<void>;
} {
  const collection = db.collection(spec.runs);
  const runOf = createRunOpener(db, seals);
  const packRows = createPackRows(db);
  const hot = new Map<number, Hot>();
  /** Scheduled flushes, each with the function that cancels it. */
  const due = new Map<number, () => void>();

  /** `refused`: the version upon which the store has just refused a write, if any. */
  const load = async (id: number, tenantId?: number, refused?: number): Promise<Hot | null> => {
    const document = await collection.findOne({ _id: id, ...ofTenant(tenantId) });
    if (!document) {
      if (tenantId === undefined) hot.delete(id);
      return null;
    }
    const { version, moved } = document;
    const outbox = document.outbox ?? emptyOutbox;
    const run = await runOf(document);
    const known = hot.get(id);
    // The cached state is as new or newer, and its progress into the logs is known, too.
    if (known && known.run.version >= version) {
      if (known.run.version !== refused || version === refused) return known;
      // A MongoDB failover may lose writes: the run goes on from what the store has.
      logger.warn({ runId: id, known: refused, stored: version }, 'the store has lost changes of a run');
    }
    const parts = isEmpty(outbox) ? [] : [{ version, outbox, inLogs: false }];
    return keep({
      run,
      outbox,
      moved: moved ?? {},
      flushing: known?.flushing ?? Promise.resolve(),
      parts,
    });
  };

  const keep = (one: Hot): Hot => {
    hot.delete(one.run.id);
    hot.set(one.run.id, one);
    if (hot.size > hotLimit) {
      for (const [id, old] of hot) {
        if (hot.size <= hotLimit * 0.9) break;
        if (old.parts.length === 0) hot.delete(id);
      }
    }
    return one;
  };

  const draw = async (run: RunRecord, drafts: readonly ChangeEvent[], firstSeq: number): Promise<AgentEvent[]> => {
    const numbered: AgentEvent[] = [];
    for (const [at, draft] of drafts.entries()) {
      numbered.push(numberEvent(run, draft, await ids.next('agent_events'), firstSeq + at));
    }
    return numbered;
  };

  const prepare = async (now: RunRecord, moved: spec.MovedItems, change: RunChange): Promise<Prepared> => {
    const drafts = change.events ?? [];
    const entries = change.messages ?? [];
    const set: Partial<RunRecord> = {
      ...change.set,
      version: now.version + 1,
      eventCount: now.eventCount + drafts.length,
      messageCount: now.messageCount + entries.length,
    };
    const run: RunRecord = { ...now, ...set };
    const part: spec.Outbox = {
      events: await draw(run, drafts, now.eventCount + 1),
      messages: entries.map((message, at) =>
        packMessage(now.messageCount + at, change.turns?.[at] ?? run.iterationsUsed, message),
      ),
      toolCalls: change.toolCalls ?? [],
    };
    return { run, packed: packRun(now, moved, changedFields(now, set)), part };
  };

  const write = async (from: Hot, change: RunChange): Promise<Committed | null> => {
    const next = await prepare(from.run, from.moved, change);
    // What an outbox holds must leave it first, or it would be moved into the logs over newer states.
    const isMade =
      db.together && isEmpty(from.outbox)
        ? await writeTogether(db.together, from, next)
        : await writeByOutbox(from, next);
    if (!isMade) return null;
    dropChunks(db, from.run.id, from.moved, next.packed.moved).catch((error) =>
      logger.debug({ err: error, runId: from.run.id }, 'items of a run that are not needed any more stay'),
    );
    return { run: next.run, events: next.part.events };
  };

  const guardOf = ({ id, version }: RunRecord): Filter<spec.RunDocument> => ({ _id: id, version });

  const writeTogether = async (together: Together, from: Hot, { run, packed, part }: Prepared): Promise<boolean> => {
    const isMade = await together((writer) => {
      if (
        !writer.update(spec.runs, guardOf(from.run), {
          $set: seals.toStore(run.tenantId, packed.fields) as Partial<spec.RunDocument>,
        })
      )
        return false;
      for (const { _id, ...items } of packed.chunks)
        writer.update(spec.runItems, { _id }, { $set: items }, { upsert: true });
      appendTogether(writer, run, part);
      return true;
    });
    if (isMade) keep({ ...from, run, moved: packed.moved });
    return isMade;
  };

  const writeByOutbox = async (from: Hot, { run, packed, part }: Prepared): Promise<boolean> => {
    const parts = from.parts.filter((one) => !one.inLogs);
    if (!isEmpty(part)) parts.push({ version: run.version, outbox: part, inLogs: false });
    const outbox = joinOutbox(parts.map((one) => one.outbox));
    const fields: Record<string, unknown> = { ...seals.toStore(run.tenantId, packed.fields) };
    await putChunks(db, packed.chunks);
    if (!isEmpty(outbox) || !isEmpty(from.outbox)) {
      fields.outbox = isEmpty(outbox) ? null : outbox;
      fields.dirty = !isEmpty(outbox);
    }
    const { matchedCount } = await collection.updateOne(guardOf(from.run), {
      $set: fields,
    } as Update<spec.RunDocument>);
    if (matchedCount !== 1) return false;
    const next = keep({ ...from, run, outbox, moved: packed.moved, parts });
    if (parts.length > 0) flushSoon(next);
    return true;
  };

  const add = (document: spec.RunDocument, run: RunRecord, part: spec.Outbox): Promise<unknown> => {
    if (!db.together) return collection.insertOne(document);
    return db.together((writer) => {
      writer.insert(spec.runs, document);
      appendTogether(writer, run, part);
    });
  };

  const flushSoon = ({ run: { id }, parts }: Hot) => {
    const entries = parts.reduce((sum, part) => sum + (part.inLogs ? 0 : sizeOf(part.outbox)), 0);
    if (entries >= gatherEntries) flush(id);
    else if (!due.has(id))
      due.set(
        id,
        clock.after(gatherMs, () => flush(id)),
      );
  };

  /** Moves the pending outbox into the logs, after the flush that is in flight. */
  const flush = (id: number) => {
    due.get(id)?.();
    due.delete(id);
    const one = hot.get(id);
    if (!one) return;
    one.flushing = one.flushing
      .then(() => flushNow(id))
      .catch((error) => logger.warn({ err: error, runId: id }, 'a run keeps its outbox for now'));
  };

  const flushNow = async (id: number) => {
    const one = hot.get(id);
    const waiting = one?.parts.filter((part) => !part.inLogs) ?? [];
    if (!one || waiting.length === 0) return;
    const { version } = one.run;
    await flushOutbox(db, id, joinOutbox(waiting.map((part) => part.outbox)), version);
    for (const part of waiting) part.inLogs = true;
    // A run that is being advanced writes again soon and clears its outbox then; an idle one does not.
    if (hot.get(id)?.run.version !== version || one.run.owner !== null) return;
    const guard: Filter<spec.RunDocument> = { _id: id, version };
    const { matchedCount } = await collection.updateOne(guard, { $set: { outbox: null, dirty: false } });
    const newest = hot.get(id);
    if (matchedCount === 1 && newest?.run.version === version) keep({ ...newest, outbox: emptyOutbox, parts: [] });
  };

  /** Entries of a run that are not in its logs yet, where this process knows them. */
  const waitingIn = (id: number): spec.Outbox | undefined => {
    const known = alone ? hot.get(id) : undefined;
    return known && joinOutbox(known.parts.filter((part) => !part.inLogs).map((part) => part.outbox));
  };

  return {
    ...createRunReads(db, runOf, waitingIn),
    async get(id, tenantId) {
      const known = alone ? hot.get(id) : undefined;
      const isOwn = known && (tenantId === undefined || known.run.tenantId === tenantId);
      return (isOwn ? known : await load(id, tenantId))?.run ?? null;
    },
    async insert(draft, change) {
      const { run, part } = await prepare(draft, {}, change);
      const { id, ...fields } = run;
      const dirty = !db.together && !isEmpty(part);
      const onceKey = run.idempotencyKey === null ? {} : { onceKey: `${run.tenantId}:${run.idempotencyKey}` };
      try {
        const document = {
          _id: id,
          ...seals.toStore(run.tenantId, fields),
          ...onceKey,
          outbox: dirty ? part : null,
          dirty,
        };
        await add(inOrderOfView(document), run, part);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        const filter = onceKey.onceKey ? { $or: [{ _id: id }, { onceKey: onceKey.onceKey }] } : { _id: id };
        const found = await collection.findOne(filter as Filter<spec.RunDocument>);
        if (!found) throw error;
        return { run: await runOf(found), events: [], existed: true };
      }
      const parts = dirty ? [{ version: run.version, outbox: part, inLogs: false }] : [];
      const outbox = dirty ? part : emptyOutbox;
      const added = keep({ run, outbox, moved: {}, parts, flushing: Promise.resolve() });
      if (dirty) flushSoon(added);
      return { run, events: part.events, existed: false };
    },
    async update(id, decide) {
      const known = hot.get(id);
      let refused: number | undefined;
      if (known) {
        const change = alone ? decide(known.run) : tryDecide(decide, known.run);
        if (alone && !change) return null;
        const committed = change && (await write(known, change));
        if (committed) return committed;
        if (change) refused = known.run.version;
      }
      for (;;) {
        const now = await load(id, undefined, refused);
        const change = now && decide(now.run);
        if (!now || !change) return null;
        const committed = await write(now, change);
        if (committed) return committed;
        refused = now.run.version;
      }
    },
    async remove(id) {
      due.get(id)?.();
      due.delete(id);
      await hot.get(id)?.flushing;
      const gone = await collection.findOneAndDelete({ _id: id });
      if (gone) await countRemoved(db, gone);
      hot.delete(id);
      for (const one of [spec.events, spec.eventPacks, spec.messages, spec.toolCalls, spec.checkpoints, spec.runItems])
        await db.collection<{ _id: number | string; runId: number }>(one.name).deleteMany({ runId: id });
    },
    async packEvents(runId) {
      // Between two writes others have their turn of the event loop.
      for (let [packed, isDone] = [0, false]; ; await setImmediate()) {
        const run = await collection.findOne({ _id: runId });
        // A run that was removed meanwhile may have been so before its last packs were there.
        if (!run) await db.collection(spec.eventPacks).deleteMany({ runId });
        if (!run || isDone || run.dirty || !isLogAtRest(run)) return packed;
        const some = await packRows(runId, run.eventCount);
        packed += some.packed;
        isDone = some.isDone;
      }
    },
    async repair() {
      for (const document of await collection.find({ dirty: true }).limit(1000).toArray()) {
        if (!document.outbox) continue;
        await flushOutbox(db, document._id, document.outbox, document.version);
        const guard: Filter<spec.RunDocument> = { _id: document._id, version: document.version };
        await collection.updateOne(guard, { $set: { outbox: null, dirty: false } });
      }
    },
    async drain() {
      for (const id of [...due.keys()]) flush(id);
      await Promise.all([...hot.values()].map((one) => one.flushing));
    },
  };
}

const dayMs = 86_400_000;

/** What a run has used is known when it is not there any more. */
async function countRemoved(db: Db, { tenantId, createdAt, activeMs }: spec.RunDocument): Promise<void> {
  const day = Math.floor(createdAt / dayMs) * dayMs;
  const $setOnInsert = { tenantId, createdAt: new Date(day) };
  await db
    .collection(spec.removedRuns)
    .updateOne({ _id: `${tenantId}:${day}` }, { $inc: { runs: 1, activeMs }, $setOnInsert }, { upsert: true });
}

function joinOutbox(parts: readonly spec.Outbox[]): spec.Outbox {
  return {
    events: parts.flatMap((part) => part.events),
    messages: parts.flatMap((part) => part.messages),
    toolCalls: newestCalls(parts.flatMap((part) => part.toolCalls)),
  };
}
