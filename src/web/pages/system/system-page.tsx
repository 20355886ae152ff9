// The server: health of its parts, live connections, nodes and queues, maintenance, settings, the demo.
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Connections } from './connections.tsx';
import { Demo } from './demo.tsx';
import { Health } from './health.tsx';
import { Maintenance } from './maintenance.tsx';
import { Queues } from './queues.tsx';
import { Settings } from './settings.tsx';

type TabKey = 'health' | 'connections' | 'queues' | 'maintenance' | 'settings' | 'demo';

function tabs(): TabItem<TabKey>[] {
  return [
    { key: 'health', label: t('Health') },
    ...(may('SystemRead') ? [{ key: 'connections' as const, label: t('Connections') }] : []),
    ...(may('InfrastructureRead') ? [{ key: 'queues' as const, label: t('Nodes and queues') }] : []),
    ...(may('SystemRead') ? [{ key: 'maintenance' as const, label: t('Maintenance') }] : []),
    ...(may('SystemRead') ? [{ key: 'settings' as const, label: t('Settings') }] : []),
    ...(may('SystemRead') ? [{ key: 'demo' as const, label: t('Demo') }] : []),
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
      {tab === 'queues' && <Queues />}
      {tab === 'maintenance' && <Maintenance />}
      {tab === 'settings' && <Settings />}
      {tab === 'demo' && <Demo />}
    </div>
  );
}
