// The runs of a page as a table, as cards on a phone: live, sorted by their heads, chosen for what is done with several.
import { useEffect, useRef } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, formatDuration, formatShort, plural, t } from '../../base/i18n.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { activeMs, costOf } from '../../state/run-figures.ts';
import { Meter } from '../../ui/meter.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { RunStream } from './run-stream.tsx';

interface TableProps {
  items: AgentRunDto[];
  /** Index of the one that the keys are at. */
  active: number;
  chosen: ReadonlySet<number>;
  onChoose: (ids: ReadonlySet<number>) => void;
}

export function RunTable({ items, active, chosen, onChoose }: TableProps) {
  useFreeModels();
  const all = items.length > 0 && items.every(({ id }) => chosen.has(id));
  const toggle = (id: number) =>
    onChoose(new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]));
  return (
    <div className="run-list">
      <table className="table">
        <thead>
          <tr>
            {may('RunsWrite') && (
              <th className="choose-col">
                <input
                  type="checkbox"
                  aria-label={t('Select all runs of this page')}
                  checked={all}
                  onChange={() => onChoose(new Set(all ? [] : items.map(({ id }) => id)))}
                />
              </th>
            )}
            <SortHead field="id">{t('Run')}</SortHead>
            <SortHead field="status">{t('Status')}</SortHead>
            <th className="stream-col">{t('Activity')}</th>
            <SortHead field="tokensUsed" num>
              {t('Tokens')}
            </SortHead>
            <SortHead field="costUsd" num>
              {t('Cost')}
            </SortHead>
            <th className="num">{t('Duration')}</th>
            <SortHead field="createdAtUtc" num>
              {t('Created')}
            </SortHead>
          </tr>
        </thead>
        <tbody>
          {items.map((run, index) => (
            <RunRow
              key={run.id}
              run={run}
              active={index === active}
              chosen={chosen.has(run.id)}
              onChoose={() => toggle(run.id)}
            />
          ))}
        </tbody>
      </table>
      <span className="visually-hidden" role="status">
        {plural(items.length, '{n} run shown', '{n} runs shown')}
      </span>
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

interface RowProps {
  run: AgentRunDto;
  active: boolean;
  chosen: boolean;
  onChoose: () => void;
}

function RunRow({ run, active, chosen, onChoose }: RowProps) {
  const now = useNow();
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const tokens = run.totalTokensWithChildren || run.tokensUsed;
  return (
    <tr
      ref={row}
      data-active={active}
      data-run={run.id}
      onClick={(event) => (event.target as HTMLElement).closest('a,button,input') || go(`/runs/${run.id}`)}
    >
      {may('RunsWrite') && (
        <td className="choose-col">
          <input
            type="checkbox"
            aria-label={t('Select run #{id}', { id: run.id })}
            checked={chosen}
            onChange={onChoose}
          />
        </td>
      )}
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
      </td>
      <td className="stream-col">
        <RunStream run={run} />
      </td>
      <td className="num">
        <div className="cell-meter">
          {formatShort(tokens)}
          <Meter bare label={t('Tokens')} used={run.tokensUsed} limit={run.maxTokens} />
        </div>
      </td>
      <td className="num">{costOf(run.totalCostWithChildren || run.costUsd, tokens, run.modelId)}</td>
      <td className="num">{run.startedAtUtc === null ? '–' : formatDuration(activeMs(run, now))}</td>
      <td className="num">
        <time dateTime={run.createdAtUtc} title={formatDate(run.createdAtUtc)}>
          {formatAgo(run.createdAtUtc, now)}
        </time>
      </td>
    </tr>
  );
}
