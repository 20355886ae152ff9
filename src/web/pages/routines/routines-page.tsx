// Routines: agents that work by the clock or when something happens, with when each is due and what came of it last.
import '../../styles/people.css';
import { useState } from 'react';
import type { AgentRoutineDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { allOr, formatAgo, t } from '../../base/i18n.ts';
import { goFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { Outcome, Standing } from './marks.tsx';
import { RoutineDialog } from './routine-dialog.tsx';
import { scheduleWords, timeIn } from './words.ts';

const pageSize = 50;
const states = ['enabled', 'disabled'] as const;

export function RoutinesPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const state = states.find((one) => one === query.get('state')) ?? null;
  const page = pageIn(query);
  const news = useNews('routines');
  const which = { ...(q ? { q } : {}), ...(state ? { isEnabled: state === 'enabled' } : {}) };
  const list = useKept(
    useResource(`routines ${JSON.stringify(which)} ${page}`, () =>
      client.agentRoutines.list({ query: { pageSize, page, ...which } }),
    ),
  );
  useReloadOn(news, list.reload);
  const [making, setMaking] = useState(false);
  const goOn = goFromHere();
  const isNarrowed = q !== '' || state !== null;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Routines')}</h1>
        {may('RoutinesWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New routine')}
          </Button>
        )}
      </div>
      <div className="filters">
        <SearchField label={t('Search routines')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('State')} name="state" chosen={state ?? ''} options={allOr(states)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No routine matches') : t('No routines yet')}>
              {isNarrowed
                ? t('Choose another state, or search for other words.')
                : t(
                    'A routine starts runs by the clock or when something happens, and keeps a ledger of every moment.',
                  )}
            </Empty>
          ) : (
            <>
              <RoutineTable routines={found.items} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <RoutineDialog onClose={() => setMaking(false)} onDone={(id) => goOn(`/routines/${id}`)} />}
    </div>
  );
}

function RoutineTable({ routines }: { routines: readonly AgentRoutineDto[] }) {
  const now = useNow();
  return <Table rows={routines} keyOf={({ id }) => id} columns={columns(now)} />;
}

const columns = (now: number): Column<AgentRoutineDto>[] => [
  {
    head: t('Routine'),
    className: 'wide',
    cell: (routine) => (
      <>
        <a href={`#/routines/${routine.id}`}>
          <strong>{routine.name}</strong>
        </a>
        {routine.description && <div className="small muted clamp">{routine.description}</div>}
      </>
    ),
  },
  { head: t('Due'), cell: scheduleWords },
  { head: t('State'), cell: (routine) => <Standing routine={routine} /> },
  {
    head: t('Next due'),
    className: 'num nowrap',
    cell: ({ nextDueAtUtc, timezoneId }) => (nextDueAtUtc ? timeIn(timezoneId, nextDueAtUtc) : t('not due')),
  },
  {
    head: t('Last outcome'),
    cell: ({ lastOutcomeId, lastRunAtUtc }) =>
      lastOutcomeId ? (
        <span className="row wrap">
          <Outcome outcome={lastOutcomeId} />
          {lastRunAtUtc && <span className="small muted">{formatAgo(lastRunAtUtc, now)}</span>}
        </span>
      ) : (
        t('none yet')
      ),
  },
  { head: t('Acts as'), cell: ({ identityName }) => identityName ?? '' },
];
