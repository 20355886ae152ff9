// Roles that runs take, the tools there are, and which of them a profile allows.
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Profiles } from './profiles.tsx';
import { Roles } from './roles.tsx';
import { Tools } from './tools.tsx';

type TabKey = 'roles' | 'profiles' | 'tools';

export function RolesPage() {
  const { query } = useLocation();
  const items: TabItem<TabKey>[] = [
    { key: 'roles', label: t('Roles') },
    { key: 'profiles', label: t('Tool profiles') },
    { key: 'tools', label: t('Tools') },
  ];
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? 'roles';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Roles and tools')}</h1>
      </div>
      <Tabs
        label={t('Sections')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'roles' ? null : key })}
      />
      {tab === 'roles' && <Roles />}
      {tab === 'profiles' && <Profiles />}
      {tab === 'tools' && <Tools />}
    </div>
  );
}
