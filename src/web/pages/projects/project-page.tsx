// One project: what goes on in it, its board, what happened, and its settings.
import '../../styles/projects.css';
import { t } from '../../base/i18n.ts';
import { href, patchQuery, useLocation } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import type { PageProps } from '../page-props.ts';
import { Activity } from './activity.tsx';
import { Board } from './board.tsx';
import { Overview } from './overview.tsx';
import { Settings } from './settings.tsx';

type TabKey = 'overview' | 'board' | 'activity' | 'settings';

const tabs = (): TabItem<TabKey>[] => [
  { key: 'overview', label: t('Overview') },
  ...(may('TasksRead') ? [{ key: 'board' as const, label: t('Board') }] : []),
  { key: 'activity', label: t('Activity') },
  { key: 'settings', label: t('Settings') },
];

export function ProjectPage({ params }: PageProps) {
  const id = Number(params.id);
  const { query } = useLocation();
  const items = tabs();
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'overview';
  const project = useKept(useResource(`project ${id}`, () => client.projects.get({ params: { id } })));
  useTitle(project.data?.name ?? t('Project'));
  const news = useNews(`project:${id}`);
  useReloadOn(news, project.reload);
  return (
    <div className="page">
      <Loaded resource={project} back={{ href: '#/projects', label: t('All projects') }}>
        {(one) => (
          <>
            <div className="page-head">
              <h1>
                {one.name} <span className="faint">{one.key}</span>
              </h1>
              <div className="row wrap">
                <State name={one.status} />
                {one.orgUnitId !== null && <UnitOf unitId={one.orgUnitId} name={one.orgUnitName} />}
                {may('DocsRead') && (
                  <LinkButton href={href('/documents', { project: id })} icon="file">
                    {t('Documents')}
                  </LinkButton>
                )}
              </div>
            </div>
            <Tabs
              label={t('Sections of the project')}
              items={items}
              active={tab}
              onChange={(key) => patchQuery({ tab: key === 'overview' ? null : key, task: null, page: null })}
            />
            {tab === 'overview' && <Overview project={one} news={news} />}
            {tab === 'board' && <Board project={one} news={news} />}
            {tab === 'activity' && <Activity projectId={id} news={news} />}
            {tab === 'settings' && <Settings project={one} onChange={project.reload} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** The unit that the project belongs to; its page is for those who may read units. */
function UnitOf({ unitId, name }: { unitId: number; name: string | null }) {
  const shown = name ?? `#${unitId}`;
  return may('OrgUnitsRead') ? (
    <a href={href(`/organisation/${unitId}`)}>{shown}</a>
  ) : (
    <span className="muted">{shown}</span>
  );
}
