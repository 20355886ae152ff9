// The server: health of its parts, live connections, processes, stores, queues, logs.
import type { Permission } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { infrastructure } from '../../state/operations.ts';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Connections } from './connections.tsx';
import { Health } from './health.tsx';
import { Logs, Nodes, Queues, Stores } from './infrastructure.tsx';

type TabKey = 'health' | 'connections' | 'nodes' | 'stores' | 'queues' | 'logs';

function tabs(): TabItem<TabKey>[] {
  const has = (key: TabKey, title: string, needs: Permission, served = true): TabItem<TabKey>[] =>
    served && may(needs) ? [{ key, label: t(title) }] : [];
  const { nodes, stores, queues, logs } = infrastructure;
  return [
    { key: 'health', label: t('Health') },
    ...has('connections', 'Connections', 'SystemRead'),
    ...has('nodes', 'Processes', 'InfrastructureRead', nodes.served),
    ...has('stores', 'Stores', 'InfrastructureRead', stores.served),
    ...has('queues', 'Queues', 'InfrastructureRead', queues.served),
    ...has('logs', 'Logs', 'LogsRead', logs.served),
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
        label={t('Parts of the system')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'health' ? null : key })}
      />
      {tab === 'health' && <Health />}
      {tab === 'connections' && <Connections />}
      {tab === 'nodes' && <Nodes />}
      {tab === 'stores' && <Stores />}
      {tab === 'queues' && <Queues />}
      {tab === 'logs' && <Logs />}
    </div>
  );
}
