// The facts of a project: what holds now, what held before, and since when that is known.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useState } from 'react';
import type { FactDto, ProjectDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { useCount } from '../../base/count.ts';
import { formatAgo, plural, t, words } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useProjects } from './chosen.tsx';
import { FactDialog } from './fact-dialog.tsx';
import { FactView } from './fact-view.tsx';
import { SectionLinks } from './section-links.tsx';

const pageSize = 50;

export function FactsPage() {
  const { query } = useLocation();
  const projects = useProjects();
  const wanted = Number(query.get('project'));
  return (
    <div className="page">
      <Loaded resource={projects}>
        {({ items }) => {
          const project = items.find(({ id }) => id === wanted) ?? items[0];
          if (project) return <ProjectFacts key={project.id} project={project} projects={items} />;
          return (
            <>
              <div className="page-head">
                <h1>{t('Facts')}</h1>
              </div>
              <SectionLinks />
              <Empty title={t('No project yet')}>
                {t('Facts belong to a project, with its documents, tasks and runs. Create one on the page Projects.')}
              </Empty>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface ProjectProps {
  project: ProjectDto;
  projects: readonly ProjectDto[];
}

function ProjectFacts({ project, projects }: ProjectProps) {
  const { query } = useLocation();
  const key = query.get('key');
  const patch = patchFromHere();
  const [making, setMaking] = useState(false);
  const [changes, changed] = useCount();
  const news = changes + useNews(`project:${project.id}`, ({ type }) => type === 'fact.written');
  return (
    <>
      <div className="page-head">
        <h1>{t('Facts')}</h1>
        {may('FactsWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New fact')}
          </Button>
        )}
      </div>
      <SectionLinks />
      <div className="memory-bar">
        {projects.length > 1 && (
          <SelectField
            label={t('Project')}
            value={String(project.id)}
            onChange={(id) => patchQuery({ project: id, key: null, page: null })}
            options={projects.map((one) => [String(one.id), `${one.name} (${one.key})`] as const)}
          />
        )}
      </div>
      <div className="memory-columns" data-open={key !== null}>
        <FactList projectId={project.id} open={key} news={news} />
        {key !== null && <FactView key={key} projectId={project.id} factKey={key} news={news} onChange={changed} />}
      </div>
      {making && (
        <FactDialog
          projectId={project.id}
          onClose={() => setMaking(false)}
          onDone={(made) => {
            changed();
            patch({ key: made });
          }}
        />
      )}
    </>
  );
}

function FactList({ projectId, open, news }: { projectId: number; open: string | null; news: number }) {
  const { query } = useLocation();
  const now = useNow();
  const q = query.get('q') ?? '';
  const page = pageIn(query);
  const isCritical = query.get('critical') !== null;
  const found = useKept(
    useResource(`facts ${projectId} ${q} ${page} ${isCritical}`, () =>
      client.facts.list({
        params: { projectId },
        query: { pageSize, page, ...(q ? { q } : {}), ...(isCritical ? { isCritical } : {}) },
      }),
    ),
  );
  useReloadOn(news, found.reload);
  return (
    <div className="stack">
      <div className="filters">
        <SearchField label={t('Search facts')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <CheckField
          label={t('Critical ones alone')}
          checked={isCritical}
          onChange={(has) => patchQuery({ critical: has ? 1 : null, page: null })}
        />
      </div>
      <Loaded resource={found}>
        {(list) =>
          list.items.length === 0 ? (
            <Empty title={q || isCritical ? t('No fact matches') : t('No facts yet')}>
              {q || isCritical
                ? t('Search for other words, or look at all of them.')
                : t(
                    'Say what is so in the project, with since when: agents look it up, and critical ones are always told to them.',
                  )}
            </Empty>
          ) : (
            <>
              <p className="small muted num">{plural(list.totalCount, '{n} fact', '{n} facts')}</p>
              <Table rows={list.items} keyOf={({ key }) => key} columns={columns(now, open)} />
              <UrlPages page={page} list={list} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

const columns = (now: number, open: string | null) => [
  {
    head: t('Name and value'),
    className: 'wide',
    cell: ({ key, value, isCritical }: FactDto) => (
      <>
        <div className="row wrap">
          <button
            type="button"
            className="link fact-key"
            aria-current={key === open ? 'true' : undefined}
            onClick={() => patchQuery({ key })}
          >
            {key}
          </button>
          {isCritical && (
            <span className="tag" data-tone="bad">
              {t('critical')}
            </span>
          )}
        </div>
        <div className="clamp">{value}</div>
      </>
    ),
  },
  { head: t('Category'), cell: ({ category }: FactDto) => category ?? '–' },
  { head: t('Importance'), num: true, cell: ({ importance }: FactDto) => importance },
  { head: t('Origin'), cell: ({ provenance }: FactDto) => words(provenance) },
  {
    head: t('Since'),
    className: 'small nowrap',
    cell: ({ validFromUtc }: FactDto) => formatAgo(validFromUtc, now),
  },
];
