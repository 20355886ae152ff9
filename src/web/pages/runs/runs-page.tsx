// The list of runs: live, filtered by the URL, each with its last minutes as a line of water.
import { useEffect, useRef, useState } from 'react';
import type { AgentRunDto, AgentRunStatus } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import {
  formatAgo,
  formatCost,
  formatDate,
  formatDuration,
  formatNumber,
  formatShort,
  plural,
  t,
  words,
} from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { mayRunDemo } from '../../state/demo.ts';
import { hasEnded, pageSize, type RunFilter, useRuns } from '../../state/runs.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { DemoHint, runDemo } from './demo-hint.tsx';
import { NewRunDialog } from './new-run-dialog.tsx';
import { RunStream } from './run-stream.tsx';

const groups: Record<string, AgentRunStatus[]> = {
  active: ['Pending', 'Queued', 'Running', 'WaitingForChildren', 'WaitingForDecision', 'Paused', 'BudgetExhausted'],
  waiting: ['WaitingForDecision', 'Paused', 'BudgetExhausted'],
  completed: ['Completed'],
  failed: ['Failed', 'TimedOut'],
  cancelled: ['Cancelled'],
};

function filterOf(query: URLSearchParams): RunFilter {
  return {
    q: query.get('q') ?? '',
    status: groups[query.get('show') ?? ''] ?? [],
    role: query.get('role') ?? '',
    modelId: query.get('model') ?? '',
    rootsOnly: query.get('children') !== '1',
    sort: query.get('sort') ?? '-createdAtUtc',
    page: Number(query.get('page')) || 1,
  };
}

export function RunsPage() {
  const { query } = useLocation();
  const filter = filterOf(query);
  const runs = useRuns(filter);
  const [active, setActive] = useState(-1);
  const items = runs.data?.items ?? [];
  const move = (step: number) => setActive((index) => Math.min(items.length - 1, Math.max(0, index + step)));
  const opened = items[active];
  useShortcuts([
    { keys: 'j', label: t('Next run'), run: () => move(1) },
    { keys: 'k', label: t('Previous run'), run: () => move(-1) },
    { keys: 'Enter', label: t('Open the run'), run: () => opened && go(`/runs/${opened.id}`) },
    { keys: 'n', label: t('New run'), run: () => patchQuery({ new: 1 }) },
  ]);
  const filtered = filter.q !== '' || filter.status.length > 0 || filter.role !== '' || filter.modelId !== '';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Runs')}</h1>
        {may('RunsWrite') && (
          <Button kind="primary" icon="plus" onClick={() => patchQuery({ new: 1 })}>
            {t('New run')}
          </Button>
        )}
      </div>
      <DemoHint />
      <Filters filter={filter} show={query.get('show') ?? ''} total={runs.data?.totalCount ?? null} />
      {runs.data === null && runs.error && <Failure error={runs.error} retry={runs.reload} />}
      {runs.data === null && !runs.error && <Skeleton rows={10} height={30} />}
      {runs.data && items.length === 0 && (
        <Empty
          title={filtered ? t('No run matches') : t('No runs yet')}
          action={filtered ? <Button onClick={() => go('/runs')}>{t('Clear the filters')}</Button> : <NextStep />}
        >
          {filtered
            ? t('Try fewer words, or another state.')
            : t('A run is an agent at work on a goal. Everything it does appears here as it happens.')}
        </Empty>
      )}
      {items.length > 0 && <RunTable items={items} active={active} />}
      {runs.data && runs.data.totalPages > 1 && <Pages page={filter.page} pages={runs.data.totalPages} />}
      {query.get('new') && <NewRunDialog onClose={() => patchQuery({ new: null })} />}
    </div>
  );
}

/** With a model, a run; without one, the demo. */
function NextStep() {
  if (mayRunDemo())
    return (
      <Button kind="primary" icon="play" onClick={runDemo}>
        {t('Run the demo')}
      </Button>
    );
  return may('RunsWrite') ? (
    <Button kind="primary" icon="plus" onClick={() => patchQuery({ new: 1 })}>
      {t('Start a run')}
    </Button>
  ) : null;
}

const shows = [
  ['', 'All'],
  ['active', 'Active'],
  ['waiting', 'Waiting'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const;

function Filters({ filter, show, total }: { filter: RunFilter; show: string; total: number | null }) {
  const [text, setText] = useState(filter.q);
  const typed = useRef(false);
  useEffect(() => {
    if (!typed.current) return;
    const timer = setTimeout(() => patchQuery({ q: text, page: null }), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="filters">
      <input
        className="input"
        type="search"
        aria-label={t('Search goals')}
        placeholder={t('Search goals…')}
        value={text}
        onChange={(event) => {
          typed.current = true;
          setText(event.target.value);
        }}
      />
      <fieldset className="segments" aria-label={t('State')}>
        {shows.map(([key, label]) => (
          <Button key={key} size="small" pressed={show === key} onClick={() => patchQuery({ show: key, page: null })}>
            {t(label)}
          </Button>
        ))}
      </fieldset>
      <Button
        size="small"
        pressed={!filter.rootsOnly}
        onClick={() => patchQuery({ children: filter.rootsOnly ? 1 : null, page: null })}
      >
        {t('With children')}
      </Button>
      {filter.role && (
        <Button size="small" pressed onClick={() => patchQuery({ role: null })}>
          {filter.role} ×
        </Button>
      )}
      {filter.modelId && (
        <Button size="small" pressed onClick={() => patchQuery({ model: null })}>
          {filter.modelId} ×
        </Button>
      )}
      {total !== null && <span className="faint small num">{plural(total, '{n} run', '{n} runs')}</span>}
    </div>
  );
}

function Pages({ page, pages }: { page: number; pages: number }) {
  return (
    <div className="row" style={{ justifyContent: 'center' }}>
      <IconButton
        icon="back"
        label={t('Previous page')}
        disabled={page <= 1}
        onClick={() => patchQuery({ page: page - 1 })}
      />
      <span className="num">{t('{page} of {pages}', { page: formatNumber(page), pages: formatNumber(pages) })}</span>
      <IconButton
        icon="chevron"
        label={t('Next page')}
        disabled={page >= pages}
        onClick={() => patchQuery({ page: page + 1 })}
      />
    </div>
  );
}

function SortHead({ field, children, num = false }: { field: string; children: string; num?: boolean }) {
  const { query } = useLocation();
  const sort = query.get('sort') ?? '-createdAtUtc';
  const now = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none';
  return (
    <th className={num ? 'num' : ''} aria-sort={now}>
      <button
        type="button"
        className="sort"
        onClick={() => patchQuery({ sort: now === 'descending' ? field : `-${field}`, page: null })}
      >
        {children}
        {now === 'ascending' ? ' ↑' : now === 'descending' ? ' ↓' : ''}
      </button>
    </th>
  );
}

function RunTable({ items, active }: { items: AgentRunDto[]; active: number }) {
  return (
    <div className="run-list">
      <table className="table">
        <thead>
          <tr>
            <SortHead field="id">{t('Run')}</SortHead>
            <SortHead field="status">{t('State')}</SortHead>
            <th className="stream-col">{t('Last minutes')}</th>
            <SortHead field="tokensUsed" num>
              {t('Tokens')}
            </SortHead>
            <SortHead field="costUsd" num>
              {t('Cost')}
            </SortHead>
            <th className="num">{t('Took')}</th>
            <SortHead field="createdAtUtc" num>
              {t('Begun')}
            </SortHead>
          </tr>
        </thead>
        <tbody>
          {items.map((run, index) => (
            <RunRow key={run.id} run={run} active={index === active} />
          ))}
        </tbody>
      </table>
      <span className="visually-hidden" role="status">
        {plural(Math.min(items.length, pageSize), '{n} run shown', '{n} runs shown')}
      </span>
    </div>
  );
}

function RunRow({ run, active }: { run: AgentRunDto; active: boolean }) {
  const now = useNow();
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const took = run.startedAtUtc
    ? (run.completedAtUtc && hasEnded(run) ? Date.parse(run.completedAtUtc) : now) - Date.parse(run.startedAtUtc)
    : null;
  return (
    <tr
      ref={row}
      data-active={active}
      data-run={run.id}
      onClick={(event) => (event.target as HTMLElement).closest('a,button') || go(`/runs/${run.id}`)}
    >
      <td className="goal-col">
        <a href={`#/runs/${run.id}`} className="goal">
          {run.goal}
        </a>
        <div className="row small faint">
          <span className="num">#{run.id}</span>
          <span>{run.role}</span>
          <span className="truncate">{run.modelId ?? t('default model')}</span>
          {run.childRunCount > 0 && <span>{plural(run.childRunCount, '{n} child', '{n} children')}</span>}
        </div>
      </td>
      <td>
        <RunStatus status={run.status} />
        {run.failureReason && run.status === 'Failed' && <div className="small faint">{words(run.failureReason)}</div>}
      </td>
      <td className="stream-col">
        <RunStream run={run} />
      </td>
      <td className="num">
        <div className="cell-meter">
          {formatShort(run.totalTokensWithChildren || run.tokensUsed)}
          <Meter bare label={t('Tokens')} used={run.tokensUsed} limit={run.maxTokens} />
        </div>
      </td>
      <td className="num">{formatCost(run.totalCostWithChildren || run.costUsd)}</td>
      <td className="num">{took === null ? '–' : formatDuration(took)}</td>
      <td className="num">
        <time dateTime={run.createdAtUtc} title={formatDate(run.createdAtUtc)}>
          {formatAgo(run.createdAtUtc, now)}
        </time>
      </td>
    </tr>
  );
}
