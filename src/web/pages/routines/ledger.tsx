// The ledger of the past week: every moment at which a routine was due or woken, with what became of it and why.
import { useState } from 'react';
import type { AgentRoutineDetailDto, AgentRoutineRunDto, RoutineRunOutcome } from '../../../client/index.ts';
import { allOr, plural, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Outcome } from './marks.tsx';
import { outcomeLooks, timeIn } from './words.ts';

const weekMs = 7 * 86_400_000;
const pageSize = 50;
const outcomes = Object.keys(outcomeLooks) as RoutineRunOutcome[];

export function Ledger({ routine, news }: { routine: AgentRoutineDetailDto; news: number }) {
  const { id, timezoneId } = routine;
  const { query } = useLocation();
  const page = pageIn(query);
  const outcomeId = outcomes.find((one) => one === query.get('outcome')) ?? null;
  // Fixed while the page is open, so that pages do not move under the reader.
  const [fromUtc] = useState(() => new Date(Date.now() - weekMs).toISOString());
  const list = useKept(
    useResource(`ledger ${id} ${outcomeId} ${page}`, () =>
      client.agentRoutines.runs({
        params: { id },
        query: { fromUtc, page, pageSize, ...(outcomeId ? { outcomeId } : {}) },
      }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <section className="stack" aria-label={t('The past week')}>
      <div className="row wrap">
        <h2 className="grow">{t('The past week')}</h2>
        <SelectField
          label={t('Outcome')}
          value={outcomeId ?? ''}
          onChange={(outcome) => patchQuery({ outcome, page: null })}
          options={allOr(outcomes)}
        />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <p className="muted">{outcomeId ? t('Nothing came to that.') : t('It was not due, and nobody ran it.')}</p>
          ) : (
            <>
              <p className="small muted num">{plural(found.totalCount, '{n} moment', '{n} moments')}</p>
              <Table rows={found.items} keyOf={(row) => row.id} columns={columns(timezoneId)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const columns = (zone: string): Column<AgentRoutineRunDto>[] => [
  { head: t('Moment'), className: 'nowrap num', cell: ({ dueAtUtc }) => timeIn(zone, dueAtUtc) },
  { head: t('Outcome'), cell: ({ outcomeId }) => <Outcome outcome={outcomeId} /> },
  { head: t('By'), cell: ({ triggerSourceId }) => words(triggerSourceId) },
  {
    head: t('What came of it'),
    className: 'wide',
    cell: ({ reason, runSummary }) => (
      <>
        {reason && <div>{reason}</div>}
        {runSummary && runSummary !== reason && <div className="small muted clamp">{runSummary}</div>}
      </>
    ),
  },
  { head: t('Brief'), num: true, cell: ({ briefVersion }) => t('version {n}', { n: briefVersion }) },
  {
    head: t('Run'),
    num: true,
    cell: ({ agentRunId }) =>
      agentRunId === null ? '' : <a href={`#/runs/${agentRunId}`}>{t('Run {id}', { id: agentRunId })}</a>,
  },
];
