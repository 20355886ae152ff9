// The server: health of its parts, and live connections.
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Connections } from './connections.tsx';
import { Health } from './health.tsx';

type TabKey = 'health' | 'connections';

function tabs(): TabItem<TabKey>[] {
  return [
    { key: 'health', label: t('Health') },
    ...(may('SystemRead') ? [{ key: 'connections' as const, label: t('Connections') }] : []),
  ];
}

export function SystemPage() {
  const { query } = useLocation();
  const items = tabs();
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? 'health';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('System')}</h1>
      </div>
      <Tabs
        label={t('System sections')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'health' ? null : key })}
      />
      {tab === 'health' && <Health />}
      {tab === 'connections' && <Connections />}
    </div>
  );
}
