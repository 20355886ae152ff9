// Connectors: other systems that agents act on, with how each stands.
import '../../styles/people.css';
import { useState } from 'react';
import type { ConnectorDto } from '../../../client/index.ts';
import { formatNumber, t, words } from '../../base/i18n.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ConnectorDialog } from './connector-dialog.tsx';
import { Verification } from './marks.tsx';

const pageSize = 50;

export function ConnectorsPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const page = pageIn(query);
  const list = useKept(
    useResource(`connectors ${q} ${page}`, () =>
      client.connectors.list({ query: { pageSize, page, ...(q ? { q } : {}) } }),
    ),
  );
  useReloadOn(useNews('connectors'), list.reload);
  const [making, setMaking] = useState(false);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Connectors')}</h1>
        {may('ConnectorsWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New connector')}
          </Button>
        )}
      </div>
      <div className="filters">
        <SearchField label={t('Search connectors')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={q ? t('No connector matches') : t('No connectors yet')}>
              {q
                ? t('Search for other words.')
                : t('A connector is another system: its endpoints are tools of runs and chats.')}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <ConnectorDialog onClose={() => setMaking(false)} onDone={({ id }) => go(`/connectors/${id}`)} />}
    </div>
  );
}

const columns: Column<ConnectorDto>[] = [
  {
    head: t('Connector'),
    className: 'wide',
    cell: ({ id, name, baseUrl, description }) => (
      <>
        <a href={`#/connectors/${id}`}>
          <strong>{name}</strong>
        </a>
        <div className="small muted clamp">{description ?? baseUrl}</div>
      </>
    ),
  },
  { head: t('Type'), cell: ({ type }) => words(type) },
  {
    head: t('State'),
    cell: ({ lastVerificationStatus, enabled }) => <Verification status={lastVerificationStatus} enabled={enabled} />,
  },
  { head: t('Endpoints'), num: true, cell: ({ endpointCount }) => formatNumber(endpointCount) },
];
