// The projects that one may know of, with what is open in each.
import type { ProjectDto, ProjectStatus } from '../../../client/index.ts';
import { allOr, formatAgo, formatNumber, t } from '../../base/i18n.ts';
import { href, patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { NewProject } from './new-project.tsx';

const statuses: ProjectStatus[] = ['Active', 'Planned', 'Paused', 'Completed', 'Archived'];
const pageSize = 50;

/** A tenant without units has no column of them. */
const columns = (inUnits: boolean): Column<ProjectDto>[] => [
  {
    head: t('Project'),
    className: 'grow',
    cell: ({ id, name, key }) => (
      <a href={href(`/projects/${id}`)}>
        {name} <span className="faint">{key}</span>
      </a>
    ),
  },
  { head: t('Status'), cell: ({ status }) => <State name={status} /> },
  ...(inUnits ? [{ head: t('Unit'), cell: ({ orgUnitName }: ProjectDto) => orgUnitName ?? '–' }] : []),
  { head: t('Open tasks'), num: true, cell: ({ openTaskCount }) => formatNumber(openTaskCount) },
  { head: t('Active runs'), num: true, cell: ({ activeRunCount }) => formatNumber(activeRunCount) },
  { head: t('Documents'), num: true, cell: ({ docCount }) => formatNumber(docCount) },
  { head: t('Members'), num: true, cell: ({ memberCount }) => formatNumber(memberCount) },
  {
    head: t('Last activity'),
    cell: ({ lastActivityAtUtc }) => (lastActivityAtUtc ? formatAgo(lastActivityAtUtc, Date.now()) : '–'),
  },
];

export function ProjectsPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const status = statuses.find((one) => one === query.get('status'));
  const page = pageIn(query);
  const list = useKept(
    useResource(`projects ${q} ${status} ${page}`, () =>
      client.projects.list({ query: { pageSize, page, ...(q && { q }), ...(status && { status }) } }),
    ),
  );
  const isNarrowed = q !== '' || status !== undefined;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Projects')}</h1>
        <NewProject onDone={list.reload} then="/projects" />
      </div>
      <div className="filters">
        <SearchField label={t('Search projects')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('Status')} name="status" chosen={status ?? ''} options={allOr(statuses)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No project matches') : t('No project yet')}>
              {isNarrowed
                ? t('Choose another status, or search for other words.')
                : t('A project is a place for work: its tasks, documents, facts and runs, for its members alone.')}
            </Empty>
          ) : (
            <>
              <Table
                columns={columns(found.items.some(({ orgUnitId }) => orgUnitId !== null))}
                rows={found.items}
                keyOf={({ id }) => id}
              />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}
