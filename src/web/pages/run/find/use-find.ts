// What is searched for in the events of a tree: it stands in the URL, so that a link leads to a hit with its words marked.
import { useState } from 'react';
import { go, patchQuery, useLocation } from '../../../base/router.ts';
import { type EventQuery, useEventSearch } from '../../../state/event-search.ts';
import type { Tree } from '../../../state/tree.ts';

const names = { find: null, findType: null, findRun: null, findFrom: null, findTo: null };

/** A time as an input of a form has it, in the reader's own zone, as ISO 8601. */
const iso = (local: string | null) => {
  const time = local ? Date.parse(local) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};

export function useFind(tree: Tree, here: number) {
  const { query } = useLocation();
  const given = (name: keyof typeof names) => query.get(name);
  const [asked, setAsked] = useState(false);
  const isAsked = Object.keys(names).some((name) => query.has(name));
  const q = given('find') ?? '';
  const runId = Number(given('findRun')) || null;
  const wanted: EventQuery | null =
    q || given('findType') || given('findFrom') || given('findTo')
      ? {
          runId: runId ?? tree.rootId ?? here,
          includeChildren: runId === null,
          q,
          type: given('findType'),
          fromUtc: iso(given('findFrom')),
          toUtc: iso(given('findTo')),
        }
      : null;
  const found = useEventSearch(wanted);
  const { hits } = found;
  const at = Number(query.get('at')) || null;
  const place = hits.findIndex((hit) => hit.runId === here && hit.seq === at);
  const goTo = (index: number) => {
    const hit = hits[index];
    if (!hit) {
      if (found.hasMore) found.more();
      return;
    }
    const next = { ...Object.fromEntries(query), at: hit.seq, tab: null };
    go(`/runs/${hit.runId}`, next, hit.runId === here ? 'replace' : 'push');
  };
  return {
    ...found,
    q,
    runId,
    given,
    place,
    isStepOpen: at !== null,
    isOpen: asked || isAsked,
    isWanted: wanted !== null,
    open: () => setAsked(true),
    close: () => {
      setAsked(false);
      patchQuery(names);
    },
    goTo,
  };
}
export type Find = ReturnType<typeof useFind>;
