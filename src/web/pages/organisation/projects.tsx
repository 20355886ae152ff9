// The projects of a unit, and those of the units below it where they are asked for.
import type { ProjectDto } from '../../../client/index.ts';
import { formatNumber, t } from '../../base/i18n.ts';
import { href, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Below, isWithBelow } from './below.tsx';
import type { UnitProps } from './unit-props.ts';

const pageSize = 50;

export function UnitProjects({ unit: { id } }: UnitProps) {
  const { query } = useLocation();
  const isBelow = isWithBelow(query);
  const page = pageIn(query);
  const list = useKept(
    useResource(`projects of unit ${id} ${isBelow} ${page}`, () =>
      client.orgUnits.projects({ params: { id }, query: { page, pageSize, includeDescendants: isBelow } }),
    ),
  );
  return (
    <div className="stack">
      <Below isBelow={isBelow} />
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={t('No project here')}>
              {t('A project joins a unit in its settings. Members of the unit work in it.')}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={(one) => one.id} columns={columns(isBelow)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

const columns = (isBelow: boolean): Column<ProjectDto>[] => [
  {
    head: t('Project'),
    className: 'grow',
    cell: ({ id, name, key }) => (
      <a href={href(`/projects/${id}`)}>
        {name} <span className="faint">{key}</span>
      </a>
    ),
  },
  ...(isBelow ? [{ head: t('Unit'), cell: ({ orgUnitName }: ProjectDto) => orgUnitName ?? '–' }] : []),
  { head: t('Status'), cell: ({ status }) => <State name={status} /> },
  { head: t('Open tasks'), num: true, cell: ({ openTaskCount }) => formatNumber(openTaskCount) },
  { head: t('Active runs'), num: true, cell: ({ activeRunCount }) => formatNumber(activeRunCount) },
];
