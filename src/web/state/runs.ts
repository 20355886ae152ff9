// The list of runs as the server pages and filters it, kept current by the topic `runs`.
import type { AgentRunDto, AgentRunStatus, KnownEvent, Page } from '../../client/index.ts';
import { createVersion } from '../base/store.ts';
import { createActivity } from './activity.ts';
import { client } from './app.ts';
import { loadAhead, type Resource, useResource } from './resource.ts';
import { useTopic } from './topic.ts';

export interface RunFilter {
  q: string;
  status: AgentRunStatus[];
  role: string;
  modelId: string;
  /** Of whom it acts for. */
  identityId: string;
  /** Days of their creation, as `2026-01-31`; both are within. */
  from: string;
  to: string;
  /** US dollars that the run itself has cost at least, as they are written; '' for any. */
  minCost: string;
  rootsOnly: boolean;
  sort: string;
  page: number;
}

export const pageSize = 50;

/** Activity of the runs of the list, from the list's own stream. */
export const activity = createActivity();
export const listNews = createVersion();

export const terminal: ReadonlySet<AgentRunStatus> = new Set(['Completed', 'Failed', 'TimedOut', 'Cancelled']);

export const hasEnded = (run: { status: AgentRunStatus }) => terminal.has(run.status);

const dayMs = 86_400_000;

/** The reader's days as moments; the end is the beginning of the day after. */
function spanOf({ from, to }: Pick<RunFilter, 'from' | 'to'>): { fromUtc?: string; toUtc?: string } {
  const begin = (day: string) => new Date(`${day}T00:00`).getTime();
  return {
    ...(from ? { fromUtc: new Date(begin(from)).toISOString() } : {}),
    ...(to ? { toUtc: new Date(begin(to) + dayMs).toISOString() } : {}),
  };
}

function matches(run: AgentRunDto, filter: RunFilter): boolean {
  if (filter.rootsOnly && run.parentRunId !== null) return false;
  if (filter.status.length > 0 && !filter.status.includes(run.status)) return false;
  if (filter.role && run.role !== filter.role) return false;
  if (filter.modelId && run.modelId !== filter.modelId) return false;
  if (filter.identityId && String(run.identityId) !== filter.identityId) return false;
  const { fromUtc, toUtc } = spanOf(filter);
  if (fromUtc && run.createdAtUtc < fromUtc) return false;
  if (toUtc && run.createdAtUtc >= toUtc) return false;
  if (filter.minCost && run.costUsd < Number(filter.minCost)) return false;
  return !filter.q || run.goal.toLowerCase().includes(filter.q.toLowerCase());
}

/** The page with one run's news in it: replaced, removed when it no longer matches, or put first when it is new. */
export function withRun(page: Page<AgentRunDto>, run: AgentRunDto, filter: RunFilter): Page<AgentRunDto> {
  const index = page.items.findIndex((item) => item.id === run.id);
  const fits = matches(run, filter);
  if (index >= 0 && fits) return { ...page, items: page.items.with(index, run) };
  if (index >= 0) return { ...page, items: page.items.toSpliced(index, 1), totalCount: page.totalCount - 1 };
  const first = page.items[0];
  const newer = !first || run.createdAtUtc >= first.createdAtUtc;
  if (!fits || !newer || filter.page > 1 || filter.sort !== '-createdAtUtc') return page;
  return { ...page, items: [run, ...page.items].slice(0, pageSize), totalCount: page.totalCount + 1 };
}

/** Budget news change the figures only. */
function withBudget(page: Page<AgentRunDto>, event: KnownEvent & { type: 'run.budget' }): Page<AgentRunDto> {
  const { runId, iterationsUsed, tokensUsed, costUsd, totalCostWithChildren } = event.data;
  const items = page.items.map((run) =>
    run.id === runId ? { ...run, iterationsUsed, tokensUsed, costUsd, totalCostWithChildren } : run,
  );
  return { ...page, items };
}

const keyOf = (filter: RunFilter) => `runs ${JSON.stringify(filter)}`;

function loadRuns(filter: RunFilter, signal?: AbortSignal): Promise<Page<AgentRunDto>> {
  const { q, status, role, modelId, identityId, minCost, rootsOnly, sort, page } = filter;
  return client.agentRuns.list({
    query: {
      page,
      pageSize,
      sort,
      ...(q ? { q } : {}),
      ...(status.length > 0 ? { status } : {}),
      ...(role ? { role } : {}),
      ...(modelId ? { modelId } : {}),
      ...(identityId ? { identityId: Number(identityId) } : {}),
      ...spanOf(filter),
      ...(minCost ? { minCostUsd: Number(minCost) } : {}),
      ...(rootsOnly ? { rootsOnly } : {}),
    },
    ...(signal ? { signal } : {}),
  });
}

/** Loads the list beside the page's scripts, which saves a round trip. */
export const loadRunsAhead = (filter: RunFilter) => loadAhead(keyOf(filter), () => loadRuns(filter));

export function useRuns(filter: RunFilter): Resource<Page<AgentRunDto>> {
  const resource = useResource<Page<AgentRunDto>>(keyOf(filter), (signal) => loadRuns(filter, signal));
  useTopic('runs', {
    onSnapshot: (why) => why === 'gap' && resource.reload(),
    onEvent(event) {
      switch (event.type) {
        case 'run.created':
        case 'run.updated':
        case 'run.status':
        case 'run.completed':
        case 'run.failed':
        case 'run.ended':
          return resource.put((page) => withRun(page, event.data, filter));
        case 'run.budget':
          activity.note(event.data, Date.parse(event.atUtc));
          listNews.touch();
          return resource.put((page) => withBudget(page, event));
        case 'run.deleted':
          return resource.put((page) => ({ ...page, items: page.items.filter((run) => run.id !== event.data.id) }));
      }
    },
  });
  return resource;
}
