// Wakes routines when something happens: triggers are matched as events are published, and never by what their own runs caused.
import { LRUCache } from 'lru-cache';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Db } from '../../../ports/db.ts';
import type { Publication } from '../../../ports/stream.ts';
import { type Happened, parseFilter, parsePattern } from '../../../routines/event-match.ts';
import { mayHearOf } from '../../may-hear.ts';
import type { RoutineBook } from './book.ts';
import { causingRun } from './cause.ts';
import { type LedgerDoc, type RoutineDoc, type TriggerDoc, triggerRecord } from './record.ts';

interface Deps {
  db: Db;
  book: RoutineBook;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  start(row: LedgerDoc): Promise<void>;
  findRun(id: number): Promise<RunRecord | null>;
  /** Who made a routine, with today's rights; null when they are gone. */
  makerOf(routine: RoutineDoc): Promise<Caller | null>;
  /** Whether somebody may follow a topic. */
  mayFollow(caller: Caller, topic: string): Promise<boolean>;
}

interface Ready {
  trigger: TriggerDoc;
  names(event: Happened): boolean;
  holds(data: unknown): boolean;
}

/** Another node's new trigger is seen after so long, in ms. */
const cacheMs = 2000;
/** Routines that wake each other in a row; further ones are not woken. */
const longestLineage = 5;
const shownDetail = 16_000;
const mostTriggers = 5000;

export type Wakes = ReturnType<typeof createWakes>;

export function createWakes(deps: Deps) {
  const { book, clock } = deps;
  const triggers = deps.db.collection(triggerRecord.spec);
  const known = new LRUCache<number, Ready[]>({ max: 5000, ttl: cacheMs, perf: { now: () => clock.now() } });
  let events = 0;

  const read = async (tenantId: number): Promise<Ready[]> => {
    const ready = (await triggers.find({ tenantId }, { limit: mostTriggers }).toArray()).map(compile);
    known.set(tenantId, ready);
    return ready;
  };

  const { lineageOf, mayHear, takeTurn } = rulesOf(deps);

  const wake = async ({ trigger }: Ready, event: Publication, lineage: readonly number[]): Promise<void> => {
    if (lineage.includes(trigger.routineId) || lineage.length >= longestLineage) return;
    const routine = await book.routines.findOne({ _id: trigger.routineId });
    if (!routine?.isEnabled || (routine.watchExpiry && routine.watchExpiry.getTime() < clock.now())) return;
    if (!(await mayHear(routine, event.topics))) return;
    const now = clock.now();
    const slot = `event:${trigger._id}:${slotOf(event, () => `${now}-${++events}`)}`;
    if (await book.rows.findOne({ routineId: routine._id, slot })) return;
    const isFree = await takeTurn(trigger, now);
    const reason = `Woken again within ${trigger.minSecondsBetweenWakes} s of the last time.`;
    if (!isFree) return book.skipWake(routine, trigger, reason);
    const { type, topics, data } = event;
    const detail = JSON.stringify({ type, topics, data });
    const detailJson = detail.length > shownDetail ? JSON.stringify({ type, topics, isCut: true }) : detail;
    const moment = { slot, source: 'Event' as const, dueAt: now, isNewest: true, detailJson, lineage };
    const entered = await book.enter(routine, moment);
    // Who published the event does not wait for the run; if this process dies, the next look starts it.
    if (entered.kind === 'entered' && entered.row.outcomeId === 'Pending') void deps.start(entered.row);
  };

  const wakeAll = async (named: readonly Ready[], event: Publication): Promise<void> => {
    const lineage = named.length === 0 ? [] : await lineageOf(event);
    for (const one of named)
      await wake(one, event, lineage).catch((error: unknown) =>
        deps.log.warn({ err: error, trigger: one.trigger._id }, 'a routine could not be woken by an event'),
      );
  };

  return {
    /** Forgets what is known of a tenant's triggers; call after they have changed. */
    changed: (tenantId: number): void => void known.delete(tenantId),
    /** Resolves when every wake that an event causes is in the ledger; null when it causes none. */
    hear(event: Publication): Promise<void> | null {
      const ready = known.get(event.tenantId);
      if (ready) {
        const named = namedBy(ready, event);
        return named.length === 0 ? null : wakeAll(named, { ...event, data: structuredClone(event.data) });
      }
      // Whoever published it may change its data while the triggers are read.
      const kept = { ...event, data: structuredClone(event.data) };
      return read(event.tenantId).then(
        (all) => wakeAll(namedBy(all, kept), kept),
        (error: unknown) => deps.log.warn({ err: error }, 'triggers of routines could not be read for an event'),
      );
    },
  };
}

/** Who wakes whom, whose events somebody hears, and how often. */
function rulesOf(deps: Deps) {
  const { book } = deps;
  const triggers = deps.db.collection(triggerRecord.spec);
  /** The routines that an event comes from, oldest first. */
  const lineageOf = async ({ type, topics, data }: Publication): Promise<number[]> => {
    const { id, routineId } = data as { id?: unknown; routineId?: unknown };
    if (type === 'routine.run') {
      const row = await book.rows.findOne({ _id: Number(id) });
      return [...(row?.lineage ?? []), Number(routineId)];
    }
    if (type.startsWith('routine.')) return [Number(id)];
    const named = topics.map((topic) => /^run(?:-tree)?:(\d+)$/.exec(topic)?.[1]).find((one) => one !== undefined);
    const run = named === undefined ? null : await deps.findRun(Number(named));
    const rootRunId = run?.rootRunId ?? causingRun();
    if (rootRunId === null) return [];
    const row = await book.rows.findOne({ agentRunId: rootRunId });
    return row ? [...row.lineage, row.routineId] : [];
  };

  const mayHear = async (routine: RoutineDoc, topics: readonly string[]): Promise<boolean> => {
    const maker = await deps.makerOf(routine);
    return maker !== null && mayHearOf(topics, (topic) => deps.mayFollow(maker, topic));
  };

  /** Takes the turn of a trigger; false while its last wake is too young. */
  const takeTurn = async ({ _id, minSecondsBetweenWakes }: TriggerDoc, now: number): Promise<boolean> => {
    const before = new Date(now - 1000 * minSecondsBetweenWakes);
    const free = { _id, $or: [{ lastWakeAt: null }, { lastWakeAt: { $lte: before } }] };
    return (await triggers.updateOne(free, { $set: { lastWakeAt: new Date(now) } })).modifiedCount > 0;
  };

  return { lineageOf, mayHear, takeTurn };
}

const namedBy = (ready: readonly Ready[], event: Publication) =>
  ready.filter((one) => one.names(event) && one.holds(event.data));

/** What an owner of a lease says again after a crash is the same event. */
const slotOf = ({ fence }: Publication, fresh: () => string) =>
  fence?.order === undefined ? fresh() : `${fence.scope}:${fence.order}`;

function compile(trigger: TriggerDoc): Ready {
  return { trigger, names: parsePattern(trigger.eventPattern), holds: parseFilter(trigger.filterJson) };
}
