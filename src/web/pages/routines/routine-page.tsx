// One routine: its week to come and the week behind it, its year, its brief, and the events that wake it.
import '../../styles/people.css';
import '../../styles/routines.css';
import { useState } from 'react';
import type { AgentRoutineDetailDto } from '../../../client/index.ts';
import { formatNumber, plural, t, words } from '../../base/i18n.ts';
import { goFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import type { PageProps } from '../page-props.ts';
import { Actions } from './actions.tsx';
import { Brief } from './brief.tsx';
import { Ledger } from './ledger.tsx';
import { Outcome, Standing } from './marks.tsx';
import { RoutineDialog } from './routine-dialog.tsx';
import { Triggers } from './triggers.tsx';
import { ComingWeek } from './week.tsx';
import { scheduleWords, timeIn } from './words.ts';
import { Year } from './year.tsx';

type TabKey = 'week' | 'year' | 'brief' | 'events';

const tabs = (): TabItem<TabKey>[] => [
  { key: 'week', label: t('Weeks') },
  { key: 'year', label: t('A year ahead') },
  { key: 'brief', label: t('Brief') },
  { key: 'events', label: t('Events') },
];

export function RoutinePage({ params }: PageProps) {
  const id = Number(params.id);
  const { query } = useLocation();
  const news = useNews('routines');
  const routine = useKept(useResource(`routine ${id}`, () => client.agentRoutines.get({ params: { id } })));
  useReloadOn(news, routine.reload);
  useTitle(routine.data?.name ?? t('Routine'));
  const items = tabs();
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'week';
  return (
    <div className="page">
      <Loaded resource={routine} back={{ href: '#/routines', label: t('All routines') }}>
        {(one) => (
          <>
            <Head routine={one} onChange={routine.reload} />
            <Summary routine={one} news={news} />
            <Tabs
              label={t('Sections of the routine')}
              items={items}
              active={tab}
              onChange={(key) => patchQuery({ tab: key === 'week' ? null : key, page: null })}
            />
            {tab === 'week' && (
              <>
                <ComingWeek routine={one} />
                <Ledger routine={one} news={news} />
              </>
            )}
            {tab === 'year' && <Year routine={one} />}
            {tab === 'brief' && <Brief routine={one} />}
            {tab === 'events' && <Triggers routine={one} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

interface HeadProps {
  routine: AgentRoutineDetailDto;
  onChange: () => void;
}

function Head({ routine, onChange }: HeadProps) {
  const [asking, setAsking] = useState<'edit' | 'remove' | null>(null);
  const close = () => setAsking(null);
  const remove = async () => {
    const goOn = goFromHere();
    await client.agentRoutines.remove({ params: { id: routine.id } });
    goOn('/routines');
  };
  return (
    <div className="page-head">
      <h1>{routine.name}</h1>
      {may('RoutinesWrite') && (
        <div className="row wrap">
          <Actions routine={routine} onChange={onChange} />
          <Button icon="edit" onClick={() => setAsking('edit')}>
            {t('Change')}
          </Button>
          <Button kind="danger" onClick={() => setAsking('remove')}>
            {t('Delete')}
          </Button>
        </div>
      )}
      {asking === 'edit' && <RoutineDialog routine={routine} onClose={close} onDone={onChange} />}
      {asking === 'remove' && (
        <Confirm title={t('Delete this routine?')} action={t('Delete')} onConfirm={remove} onClose={close}>
          <p>{t('Its ledger goes with it. Runs that it started stay.')}</p>
        </Confirm>
      )}
    </div>
  );
}

function Summary({ routine, news }: { routine: AgentRoutineDetailDto; news: number }) {
  const { id, timezoneId, lastOutcomeId, maxRunsPerDay, pausedReason } = routine;
  const due = useKept(
    useResource(`next due of ${id}`, () => client.agentRoutines.nextDue({ params: { id }, query: { count: 1 } })),
  );
  useReloadOn(news, due.reload);
  const facts: [string, string][] = [
    [t('Due'), scheduleWords(routine)],
    [t('Next due'), routine.nextDueAtUtc ? timeIn(timezoneId, routine.nextDueAtUtc) : t('not due')],
    [t('Acts as'), routine.identityName ?? ''],
    [t('What was missed'), words(routine.missedRunPolicyId)],
    [t('Reports'), words(routine.reportPolicyId)],
    [
      t('Runs today'),
      maxRunsPerDay > 0
        ? t('{n} of {most}', { n: formatNumber(due.data?.runsToday ?? 0), most: formatNumber(maxRunsPerDay) })
        : plural(due.data?.runsToday ?? 0, '{n} run', '{n} runs'),
    ],
  ];
  return (
    <section className="stack" aria-label={t('How it stands')}>
      <div className="row wrap">
        <Standing routine={routine} />
        {lastOutcomeId && (
          <Outcome outcome={lastOutcomeId}>{t('Last: {outcome}', { outcome: words(lastOutcomeId) })}</Outcome>
        )}
      </div>
      {routine.description && <p className="muted">{routine.description}</p>}
      {pausedReason && <p>{pausedReason}</p>}
      {due.data?.blockedReason && due.data.blockedReason !== pausedReason && (
        <p className="muted">{due.data.blockedReason}</p>
      )}
      <FactGrid facts={facts} />
    </section>
  );
}
