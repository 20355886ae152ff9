// The stored events of runs, in rows or packed: every answer is the one that rows alone would give.
import { setImmediate } from 'node:timers/promises';
import type { EventQuery } from '../../../runtime/ports.ts';
import { type EventLevel, eventLevels } from '../../../runtime/records.ts';
import { createFlatText } from '../../kernel/flat-text.ts';
import type { Db, Filter } from '../../ports/db.ts';
import * as spec from './collections.ts';
import { eventsIn, packSpan } from './event-packs.ts';

/** Packs that are read in one turn of the event loop. */
const packsAtOnce = 16;

export function createStoredEvents(db: Db) {
  const rows = db.collection(spec.events);
  const packs = db.collection(spec.eventPacks);

  const inRows = (runId: number, query: EventQuery) =>
    rows.find(eventFilter(runId, query), { sort: { seq: directionOf(query) }, limit: query.limit });

  /** The packed events that the query asks for, and maybe some after them, in no order. */
  const inPacks = async (runId: number, query: EventQuery): Promise<spec.EventDocument[]> => {
    const options = {
      sort: { last: directionOf(query) },
      limit: Math.min(packsAtOnce, Math.ceil(query.limit / packSpan) + 1),
    };
    const found: spec.EventDocument[] = [];
    for (let beyond: number | null = null; ; await setImmediate()) {
      const some = await packs.find(packFilter(runId, query, beyond), options).toArray();
      for (const pack of some) {
        if (found.length >= query.limit) break;
        if (!mayHold(pack, query)) continue;
        found.push(...eventsIn(pack).filter((event) => fits(event, query)));
      }
      if (some.length < options.limit || found.length >= query.limit) return found;
      beyond = some.at(-1)!.last;
    }
  };

  /**
   * What rows hold, and what packs do: of one moment, or else the rows first, since they go when their packs are there. So
   * an event that is packed meanwhile is in one of them, or in both.
   */
  const both = async <R>(ask: () => Promise<R>, runId: number, query: EventQuery) => {
    const packed = () => inPacks(runId, query);
    if (db.gather) return db.gather(() => Promise.all([ask(), packed()]));
    return [await ask(), await packed()] as const;
  };

  return {
    /** Events in no order; one may be there twice. */
    async find(runId: number, query: EventQuery): Promise<spec.EventDocument[]> {
      const [found, packed] = await both(() => inRows(runId, query).toArray(), runId, query);
      return packed.length === 0 ? found : [...packed, ...found];
    },
    /** The views of the events as the text of a JSON array. */
    async texts(runId: number, query: EventQuery): Promise<string> {
      const [found, packed] = await both(() => inRows(runId, query).json(), runId, query);
      if (packed.length === 0) return viewTexts(found);
      const all = [...packed, ...(JSON.parse(found) as spec.EventDocument[])];
      return viewTexts(JSON.stringify(firstOf(all, query)));
    },
  };
}

/** The events that a query gets of those that it fits: in order, each once. */
export function firstOf<E extends { seq: number }>(events: readonly E[], query: EventQuery): E[] {
  const once = [...new Map(events.map((event) => [event.seq, event])).values()];
  const direction = directionOf(query);
  return once.sort((a, b) => direction * (a.seq - b.seq)).slice(0, query.limit);
}

const directionOf = ({ descending }: EventQuery): 1 | -1 => (descending ? -1 : 1);

/** JSON of events as `eventView` shows them, from that of their documents. */
const viewTexts = createFlatText({
  renamed: { _id: 'id' },
  dropped: ['tenantId', 'movedTo'],
  times: { createdAt: 'createdAtUtc' },
});

const levelsFrom = (least: EventLevel): EventLevel[] => eventLevels.slice(eventLevels.indexOf(least));

function eventFilter(runId: number, query: EventQuery): Filter<spec.EventDocument> {
  const seq = {
    ...(query.afterSeq === undefined ? {} : { $gt: query.afterSeq }),
    ...(query.beforeSeq === undefined ? {} : { $lt: query.beforeSeq }),
  };
  return {
    runId,
    ...(Object.keys(seq).length > 0 ? { seq } : {}),
    ...(query.types ? { type: { $in: query.types } } : {}),
    ...(query.minLevel ? { level: { $in: levelsFrom(query.minLevel) } } : {}),
  } as Filter<spec.EventDocument>;
}

export const fits = (event: { seq: number; type: string; level: EventLevel }, query: EventQuery) =>
  event.seq > (query.afterSeq ?? 0) &&
  event.seq < (query.beforeSeq ?? Number.POSITIVE_INFINITY) &&
  (!query.types || (query.types as string[]).includes(event.type)) &&
  (!query.minLevel || levelsFrom(query.minLevel).includes(event.level));

/** Packs that may hold events with these numbers, after or before the pack that ends with `beyond`. */
function packFilter(
  runId: number,
  { afterSeq = 0, beforeSeq = Number.MAX_SAFE_INTEGER - packSpan, descending }: EventQuery,
  beyond: number | null,
): Filter<spec.EventPackDocument> {
  const [from, to] = [afterSeq, beforeSeq + packSpan - 1];
  if (beyond === null) return { runId, last: { $gt: from, $lt: to } };
  return { runId, last: descending ? { $gt: from, $lt: beyond } : { $gt: beyond, $lt: to } };
}

const mayHold = ({ types, level }: spec.EventPackDocument, query: EventQuery) =>
  (!query.types || types.some((type) => query.types?.includes(type))) &&
  (!query.minLevel || levelsFrom(query.minLevel).includes(level));
