// Wakes routines when something happens: triggers are matched as events are published, and never by what their own runs caused.
import type { RunRecord } from '../../../../runtime/records.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Db } from '../../../ports/db.ts';
import type { Publication } from '../../../ports/stream.ts';
import { type Happened, parseFilter, parsePattern } from '../../../routines/event-match.ts';
import type { Heard } from '../../hearing.ts';
import { mayHearOf } from '../../may-hear.ts';
import { createReadyMatchers, type ReadySignals } from '../../ready-matchers.ts';
import type { RoutineBook } from './book.ts';
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
  /** Tells other nodes of changes of triggers; null where there are none. */
  signals: ReadySignals | null;
}

interface Ready {
  trigger: TriggerDoc;
  names(event: Happened): boolean;
  holds(data: unknown): boolean;
}

/** Routines that wake each other in a row; further ones are not woken. */
const longestLineage = 5;
const shownDetail = 16_000;

export type Wakes = ReturnType<typeof createWakes>;

export function createWakes(deps: Deps) {
  const { book, clock } = deps;
  const triggers = deps.db.collection(triggerRecord.spec);
  const known = createReadyMatchers(deps, async (tenantId) =>
    (await triggers.find({ tenantId }).toArray()).map(compile),
  );
  const { lineageOf, mayHear, takeTurn } = rulesOf(deps);

  const wake = async ({ trigger }: Ready, event: Heard, lineage: readonly number[]): Promise<void> => {
    if (lineage.includes(trigger.routineId) || lineage.length >= longestLineage) return;
    // A trigger that came after the event does not take it.
    if (event.isAgain && trigger.createdAt.getTime() > event.at) return;
    const routine = await book.routines.findOne({ _id: trigger.routineId });
    if (!routine?.isEnabled || (routine.watchExpiry && routine.watchExpiry.getTime() < clock.now())) return;
    if (!(await mayHear(routine, event.topics))) return;
    const slot = `event:${event.key}`;
    if (await book.rows.findOne({ routineId: routine._id, slot })) return;
    const isFree = await takeTurn(trigger, slot, event.at);
    const reason = `Woken again within ${trigger.minSecondsBetweenWakes} s of the last time.`;
    if (!isFree) return book.skipWake(routine, trigger, reason);
    const { type, topics, data } = event;
    const detail = JSON.stringify({ type, topics, data });
    const detailJson = detail.length > shownDetail ? JSON.stringify({ type, topics, isCut: true }) : detail;
    const moment = { slot, source: 'Event' as const, dueAt: event.at, isNewest: true, detailJson, lineage };
    const entered = await book.enter(routine, moment);
    // Who published the event does not wait for the run; if this process dies, the next look starts it.
    if (entered.kind === 'entered' && entered.row.outcomeId === 'Pending') void deps.start(entered.row);
  };

  return {
    /** Forgets what is known of a tenant's triggers; call after they have changed. */
    changed: known.changed,
    /** The routines that led to an event, oldest first. */
    lineageOf,
    takes(event: Publication): boolean | null {
      const ready = known.known(event.tenantId);
      return ready ? namedBy(ready, event).length > 0 : null;
    },
    ready: known.read,
    /** Resolves when every wake that an event causes is in the ledger. */
    async take(event: Heard): Promise<void> {
      const named = namedBy(await known.read(event.tenantId), event);
      const lineage = named.length === 0 ? [] : await lineageOf(event);
      const failures: unknown[] = [];
      // The others are woken all the same.
      for (const one of named) await wake(one, event, lineage).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Who wakes whom, whose events somebody hears, and how often. */
function rulesOf(deps: Deps) {
  const { book } = deps;
  const triggers = deps.db.collection(triggerRecord.spec);
  const lineageOf = async ({ type, topics, data, cause }: Heard): Promise<readonly number[]> => {
    const { id, routineId } = data as { id?: unknown; routineId?: unknown };
    if (type === 'routine.run') {
      const row = await book.rows.findOne({ _id: Number(id) });
      return [...(row?.lineage ?? []), Number(routineId)];
    }
    if (type.startsWith('routine.')) return [Number(id)];
    const named = topics.map((topic) => /^run(?:-tree)?:(\d+)$/.exec(topic)?.[1]).find((one) => one !== undefined);
    const run = named === undefined ? null : await deps.findRun(Number(named));
    if (!run && cause && 'lineage' in cause) return cause.lineage;
    const rootRunId = run?.rootRunId ?? (cause && 'rootRunId' in cause ? cause.rootRunId : null);
    if (rootRunId === null) return [];
    const row = await book.rows.findOne({ agentRunId: rootRunId });
    if (row) return [...row.lineage, row.routineId];
    // What a run tells while it is made comes before its row knows of it.
    const root = rootRunId === run?.id ? run : await deps.findRun(rootRunId);
    const tag = root?.tags.find((one) => /^routine:\d+$/.test(one));
    if (tag === undefined) return [];
    const own = Number(tag.slice('routine:'.length));
    const starting = await book.rows.findOne({ routineId: own, outcomeId: 'Pending' }, { sort: { seq: -1 } });
    return [...(starting?.lineage ?? []), own];
  };

  const mayHear = async (routine: RoutineDoc, topics: readonly string[]): Promise<boolean> => {
    const maker = await deps.makerOf(routine);
    return maker !== null && mayHearOf(topics, (topic) => deps.mayFollow(maker, topic));
  };

  /** Takes the turn of a trigger, or has it; false while its last wake is too young. */
  const takeTurn = async (trigger: TriggerDoc, slot: string, at: number): Promise<boolean> => {
    const { _id, minSecondsBetweenWakes } = trigger;
    const before = new Date(at - 1000 * minSecondsBetweenWakes);
    const isFree = [{ lastWakeAt: null }, { lastWakeAt: { $lte: before } }, { lastWakeSlot: slot }];
    const $set = { lastWakeAt: new Date(at), lastWakeSlot: slot };
    return (await triggers.updateOne({ _id, $or: isFree }, { $set })).matchedCount > 0;
  };

  return { lineageOf, mayHear, takeTurn };
}

const namedBy = (ready: readonly Ready[], event: Happened) =>
  ready.filter((one) => one.names(event) && one.holds(event.data));

function compile(trigger: TriggerDoc): Ready {
  return { trigger, names: parsePattern(trigger.eventPattern), holds: parseFilter(trigger.filterJson) };
}
