// A search in the events of a run or its tree, page by page as its reader goes on; the server does the searching.
import { useEffect, useRef, useState } from 'react';
import type { AgentEventHitDto, AgentEventType, ApiError } from '../../client/index.ts';
import { client } from './app.ts';
import { toApiError } from './resource.ts';

export interface EventQuery {
  runId: number;
  includeChildren: boolean;
  q: string;
  type: string | null;
  /** ISO 8601 */
  fromUtc: string | null;
  toUtc: string | null;
}

/** Hits of one page. An answer that has none of them, but more to look at, is gone on with at once. */
const pageSize = 50;

interface Found {
  hits: AgentEventHitDto[];
  cursor: string | null;
  hasMore: boolean;
  searched: number;
  busy: boolean;
  error: ApiError | null;
}

const nothing: Found = { hits: [], cursor: null, hasMore: false, searched: 0, busy: false, error: null };

/** @param query - null searches for nothing */
export function useEventSearch(query: EventQuery | null) {
  const [found, setFound] = useState(nothing);
  const key = query && JSON.stringify(query);
  const abort = useRef(new AbortController());

  const load = async (from: Found, wanted: EventQuery, { signal }: AbortController) => {
    let held: Found = { ...from, busy: true, error: null };
    const show = (next: Found) => {
      held = next;
      if (!signal.aborted) setFound(next);
    };
    show(held);
    const { runId, includeChildren, q, type, fromUtc, toUtc } = wanted;
    const upTo = held.hits.length + pageSize;
    try {
      do {
        const page = await client.agentRuns.searchEvents({
          params: { runId },
          query: {
            includeChildren,
            ...(q && { q }),
            ...(type && { types: [type as AgentEventType] }),
            ...(fromUtc && { fromUtc }),
            ...(toUtc && { toUtc }),
            ...(held.cursor && { cursor: held.cursor }),
            limit: Math.min(pageSize, upTo - held.hits.length),
          },
          signal,
        });
        const { items, cursor, hasMore, searched } = page;
        show({ ...held, hits: [...held.hits, ...items], cursor, hasMore, searched: held.searched + searched });
      } while (held.hasMore && held.hits.length < upTo && !signal.aborted);
      show({ ...held, busy: false });
    } catch (cause) {
      show({ ...held, busy: false, error: toApiError(cause) });
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the query.
  useEffect(() => {
    abort.current.abort();
    abort.current = new AbortController();
    setFound(nothing);
    if (query) void load(nothing, query, abort.current);
    return () => abort.current.abort();
  }, [key]);

  return {
    ...found,
    /** The next page; also what a run that goes on has added since. */
    more: () => query && !found.busy && void load(found, query, abort.current),
  };
}
