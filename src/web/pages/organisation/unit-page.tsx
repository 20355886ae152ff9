// One organisation unit: where it stands, who is in it, what belongs to it, and what holds there.
import '../../styles/organisation.css';
import type { OrgUnitDetailDto, OrgUnitDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { href, patchQuery, useLocation } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import type { PageProps } from '../page-props.ts';
import { UnitBudget } from './budget.tsx';
import { GivenRoles } from './given-roles.tsx';
import { UnitIdentities } from './identities.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { Overview } from './overview.tsx';
import { UnitPolicy } from './policy.tsx';
import { UnitProjects } from './projects.tsx';
import { UnitActions } from './unit-actions.tsx';
import { mayManage, type UnitProps } from './unit-props.ts';
import { UnitUsage } from './usage.tsx';

type TabKey =
  | 'overview'
  | 'members'
  | 'invitations'
  | 'projects'
  | 'identities'
  | 'budget'
  | 'policy'
  | 'roles'
  | 'usage';

const tabsOf = (unit: OrgUnitDetailDto): TabItem<TabKey>[] => [
  { key: 'overview', label: t('Overview') },
  { key: 'members', label: t('Members'), count: unit.memberCount },
  ...(mayManage(unit)
    ? [{ key: 'invitations' as const, label: t('Invitations'), count: unit.pendingInviteCount }]
    : []),
  { key: 'projects', label: t('Projects'), count: unit.projectCount },
  { key: 'identities', label: t('Identities'), count: unit.identityCount },
  { key: 'budget', label: t('Budget') },
  { key: 'policy', label: t('Policy') },
  { key: 'roles', label: t('Roles') },
  { key: 'usage', label: t('Usage') },
];

export function UnitPage({ params }: PageProps) {
  const id = Number(params.id);
  const { query } = useLocation();
  const unit = useKept(useResource(`unit ${id}`, () => client.orgUnits.get({ params: { id } })));
  const path = useKept(useResource(`path of unit ${id}`, () => client.orgUnits.ancestors({ params: { id } })));
  useTitle(unit.data?.name ?? t('Organisation unit'));
  const news = useNews('org-units');
  const reload = () => {
    unit.reload();
    path.reload();
  };
  useReloadOn(news, unit.reload);
  useReloadOn(news, path.reload);
  return (
    <div className="page">
      <Loaded resource={unit} back={{ href: '#/organisation', label: t('All units') }}>
        {(one) => {
          const items = tabsOf(one);
          const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'overview';
          const props = { unit: one, path: path.data ?? [], news, onChange: reload };
          return (
            <>
              {props.path.length > 1 && <Above units={props.path.slice(0, -1)} />}
              <div className="page-head">
                <h1>
                  {one.name} <span className="faint">{words(one.kind)}</span>
                </h1>
                <div className="row wrap">
                  {!one.isActive && <Chip shape="dam">{t('Switched off')}</Chip>}
                  {may('OrgUnitsWrite') && <UnitActions {...props} />}
                </div>
              </div>
              <Tabs
                label={t('Sections of the unit')}
                items={items}
                active={tab}
                onChange={(key) =>
                  patchQuery({ tab: key === 'overview' ? null : key, page: null, q: null, below: null, by: null })
                }
              />
              <Part key={`${one.id} ${tab}`} tab={tab} {...props} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** The units above, from the root. */
const Above = ({ units }: { units: readonly OrgUnitDto[] }) => (
  <nav className="unit-path small" aria-label={t('Units above')}>
    <ol>
      {units.map(({ id, name }) => (
        <li key={id}>
          <a href={href(`/organisation/${id}`)}>{name}</a>
        </li>
      ))}
    </ol>
  </nav>
);

function Part({ tab, ...props }: UnitProps & { tab: TabKey }) {
  switch (tab) {
    case 'overview':
      return <Overview {...props} />;
    case 'members':
      return <Members {...props} />;
    case 'invitations':
      return <Invitations {...props} />;
    case 'projects':
      return <UnitProjects {...props} />;
    case 'identities':
      return <UnitIdentities {...props} />;
    case 'budget':
      return <UnitBudget {...props} />;
    case 'policy':
      return <UnitPolicy {...props} />;
    case 'roles':
      return <GivenRoles {...props} />;
    case 'usage':
      return <UnitUsage {...props} />;
  }
}
