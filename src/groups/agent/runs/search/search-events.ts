// The search in events of a run or a tree: chunk by chunk, so that a long history neither holds the server nor one answer.
import { setImmediate } from 'node:timers/promises';
import type { EventQuery } from '../../../../../runtime/ports.ts';
import { type AgentEvent, eventLevels } from '../../../../../runtime/records.ts';
import { Fault } from '../../../../kernel/fault.ts';
import type { AgentEventHitDto, AgentEventHitsDto } from './dto.ts';
import { excerptsOf, soughtWords } from './words.ts';

/** Events that are read at once. Between two chunks others have their turn. */
const chunk = 100;
/** Events with more text than this have a turn of their own. */
const largeChars = 100_000;
/** What one answer looks at; the next one goes on from its cursor. */
export const mostSearched = { events: 20_000, chars: 50_000_000, reads: 500 };

export interface EventSearch {
  q?: string | undefined;
  types?: EventQuery['types'] | undefined;
  minLevel?: EventQuery['minLevel'] | undefined;
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

interface Deps {
  events: (runId: number, query: EventQuery) => Promise<AgentEvent[]>;
  signal: AbortSignal;
}

interface Place {
  runId: number;
  seq: number;
}

/**
 * Hits in order of runs, then of events.
 *
 * @param runIds - in an order that keeps while runs are added at its end
 */
export async function searchEvents(
  runIds: readonly number[],
  search: EventSearch,
  deps: Deps,
): Promise<AgentEventHitsDto> {
  const finds = finder(search);
  const { types, limit } = search;
  const start = placeOf(search.cursor, runIds);
  const items: AgentEventHitDto[] = [];
  const left = { ...mostSearched };
  let at = start;
  const isFull = () => items.length >= limit || left.events <= 0 || left.chars <= 0 || left.reads <= 0;
  /** Looks at events until the answer is full; whether it came to the last one. */
  const look = async (found: readonly AgentEvent[]) => {
    for (const [index, event] of found.entries()) {
      if (isFull()) return false;
      at = { runId: event.runId, seq: event.seq };
      const chars = (event.message?.length ?? 0) + (event.payloadJson?.length ?? 0);
      left.events -= 1;
      left.chars -= chars;
      const excerpts = finds(event);
      if (excerpts) items.push(hit(event, excerpts));
      if (chars > largeChars || index === found.length - 1) await setImmediate();
    }
    return true;
  };
  for (const runId of runIds.slice(runIds.indexOf(start.runId))) {
    at = { runId, seq: runId === start.runId ? start.seq : 0 };
    for (let isEnd = false; !isEnd; ) {
      if (isFull()) return answer(items, at, true, left.events);
      const size = Math.min(chunk, left.events);
      const found = await deps.events(runId, { ...(types && { types }), afterSeq: at.seq, limit: size });
      left.reads -= 1;
      isEnd = (await look(found)) && found.length < size;
      deps.signal.throwIfAborted();
    }
  }
  return answer(items, at, false, left.events);
}

const answer = (items: AgentEventHitDto[], { runId, seq }: Place, hasMore: boolean, left: number) => ({
  items,
  cursor: `${runId}.${seq}`,
  hasMore,
  searched: mostSearched.events - left,
});

/** What tells whether an event is found, by its excerpts. */
function finder({
  q,
  minLevel,
  fromUtc,
  toUtc,
}: EventSearch): (event: AgentEvent) => AgentEventHitDto['excerpts'] | null {
  const words = q === undefined ? null : soughtWords(q);
  const from = fromUtc === undefined ? Number.NEGATIVE_INFINITY : Date.parse(fromUtc);
  const to = toUtc === undefined ? Number.POSITIVE_INFINITY : Date.parse(toUtc);
  if (from >= to)
    throw new Fault('VALIDATION_FAILED', 'fromUtc is not before toUtc.', { hint: 'Change one of the two times.' });
  // Looked at here, not in the store, whose query for a rare level would walk the whole run at once.
  const least = minLevel === undefined ? 0 : eventLevels.indexOf(minLevel);
  return (event) => {
    if (eventLevels.indexOf(event.level) < least) return null;
    if (event.createdAt < from || event.createdAt >= to) return null;
    return words === null ? [] : excerptsOf(event, words);
  };
}

function placeOf(cursor: string | undefined, runIds: readonly number[]): Place {
  if (cursor === undefined) return { runId: runIds[0] as number, seq: 0 };
  const [, run, seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (run === undefined || !runIds.includes(Number(run)))
    throw new Fault('VALIDATION_FAILED', 'The cursor is not one of a search in these runs.', {
      hint: 'Leave it out to begin anew; else send the cursor of the answer before, with the same run and includeChildren.',
    });
  return { runId: Number(run), seq: Number(seq) };
}

const hit = (event: AgentEvent, excerpts: AgentEventHitDto['excerpts']): AgentEventHitDto => ({
  runId: event.runId,
  seq: event.seq,
  type: event.type,
  level: event.level,
  iteration: event.iteration,
  title: event.title,
  toolName: event.toolName,
  toolCallId: event.toolCallId,
  createdAtUtc: new Date(event.createdAt).toISOString(),
  excerpts,
});
