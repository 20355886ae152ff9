// People: who has an account, and the roles that say what they may do.
import '../../styles/people.css';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Roles } from './roles.tsx';
import { Users } from './users.tsx';

type TabKey = 'users' | 'roles';

export function PeoplePage() {
  const { query } = useLocation();
  const items: TabItem<TabKey>[] = [
    { key: 'users', label: t('Users') },
    ...(may('RolesRead') ? [{ key: 'roles' as const, label: t('Roles and permissions') }] : []),
  ];
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? 'users';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('People')}</h1>
      </div>
      <Tabs
        label={t('Sections')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'users' ? null : key })}
      />
      {tab === 'users' && <Users />}
      {tab === 'roles' && <Roles />}
    </div>
  );
}
