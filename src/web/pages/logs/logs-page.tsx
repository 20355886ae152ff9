// The log: lines as they are written, found by words, domain and level; whom they are sent to; and help when they do not say enough.
import '../../styles/logs.css';
import { useState } from 'react';
import { allOr, formatNumber, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { type Asked, askedIn, domains, levels } from './filter.ts';
import { Lines } from './lines.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { SupportDialog } from './support-dialog.tsx';
import { type Tail, useTail } from './use-tail.ts';

const tabs = ['lines', 'subscriptions'] as const;

export function LogsPage() {
  const { query } = useLocation();
  const tab = tabs.find((one) => one === query.get('tab')) ?? 'lines';
  const [reporting, setReporting] = useState(false);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Log')}</h1>
        <Button icon="clip" onClick={() => setReporting(true)}>
          {t('Report a problem')}
        </Button>
      </div>
      <Tabs
        label={t('Log')}
        items={[
          { key: 'lines', label: t('Lines') },
          { key: 'subscriptions', label: t('Subscriptions') },
        ]}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'lines' ? null : key, page: null })}
      />
      {tab === 'lines' ? <Live query={query} /> : <Subscriptions />}
      {reporting && <SupportDialog onClose={() => setReporting(false)} />}
    </div>
  );
}

function Live({ query }: { query: URLSearchParams }) {
  const asked = askedIn(query);
  const paused = query.get('pause') === '1';
  const tail = useTail(asked, paused);
  return (
    <>
      <Filters asked={asked} paused={paused} />
      <Counts asked={asked} />
      {tail.gap && <p className="small muted">{t('Some lines in between are not kept any more.')}</p>}
      <Shown tail={tail} isNarrowed={Object.keys(asked).length > 0} />
      <p className="small muted" role="status">
        {states()[tail.state]} · {t('{n} lines', { n: formatNumber(tail.lines.length) })}
      </p>
    </>
  );
}

const states = (): Record<Tail['state'], string> => ({
  connecting: t('Connecting'),
  live: t('Live'),
  lost: t('Connection lost: trying again'),
  paused: t('Paused: nothing is missed'),
});

function Shown({ tail, isNarrowed }: { tail: Tail; isNarrowed: boolean }) {
  if (tail.error) return <Failure error={tail.error} />;
  if (tail.lines.length > 0) return <Lines tail={tail} />;
  if (tail.state === 'connecting') return <Skeleton rows={8} />;
  return (
    <Empty title={isNarrowed ? t('No line matches yet') : t('No lines yet')}>
      {isNarrowed ? t('Choose a lower level, or search for other words.') : t('Lines appear here as they are written.')}
    </Empty>
  );
}

function Filters({ asked, paused }: { asked: Asked; paused: boolean }) {
  const choose = (name: string) => (value: string) => patchQuery({ [name]: value });
  return (
    <div className="row wrap end">
      <SearchField label={t('Search the log')} q={asked.q ?? ''} onSearch={choose('q')} />
      <SelectField
        label={t('Domain')}
        value={asked.domain ?? ''}
        onChange={choose('domain')}
        options={allOr(domains)}
      />
      <SelectField
        label={t('From level')}
        value={asked.minLevel ?? ''}
        onChange={choose('level')}
        options={allOr(levels)}
      />
      {asked.runId !== undefined && (
        <Button icon="close" onClick={() => patchQuery({ run: null })}>
          {t('Run {id}', { id: asked.runId })}
        </Button>
      )}
      {asked.sourceHost !== undefined && (
        <Button icon="close" onClick={() => patchQuery({ host: null })}>
          {asked.sourceHost}
        </Button>
      )}
      <Button icon={paused ? 'play' : 'pause'} onClick={() => patchQuery({ pause: paused ? null : 1 })}>
        {paused ? t('Go on') : t('Pause')}
      </Button>
    </div>
  );
}

/** Lines of the last 24 hours by level; each leads to those from that level on. */
function Counts({ asked: { domain } }: { asked: Asked }) {
  const stats = useKept(
    useResource(`log counts ${domain}`, () => client.systemLogs.stats({ query: domain ? { domain } : {} })),
  );
  useEvery(stats.reload);
  const byLevel = stats.data?.byLevel ?? {};
  const found = levels.filter((level) => byLevel[level]);
  if (found.length === 0) return null;
  return (
    <div className="row wrap small log-counts">
      <span className="muted">{t('Last 24 hours')}</span>
      {found.map((level) => (
        <button key={level} type="button" className="link" onClick={() => patchQuery({ level })}>
          {words(level)} {formatNumber(byLevel[level] ?? 0)}
        </button>
      ))}
    </div>
  );
}
