// Connectors: other systems that agents act on, with how each stands.
import '../../styles/people.css';
import { useState } from 'react';
import type { ConnectorDto } from '../../../client/index.ts';
import { formatNumber, t } from '../../base/i18n.ts';
import { goFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { ConnectorDialog } from './connector-dialog.tsx';
import { hasFoundTools, McpServer, typeName, Verification } from './marks.tsx';

const pageSize = 50;
const kinds = () =>
  [
    ['all', t('All')],
    ['mcp', t('MCP servers')],
  ] as const;

export function ConnectorsPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const page = pageIn(query);
  const kind = query.get('kind') === 'mcp' ? 'mcp' : 'all';
  const list = useKept(
    useResource(`connectors ${q} ${page} ${kind}`, () =>
      client.connectors.list({
        query: { pageSize, page, ...(q && { q }), ...(kind === 'mcp' && { type: 'Mcp' as const }) },
      }),
    ),
  );
  useReloadOn(useNews('connectors'), list.reload);
  const [making, setMaking] = useState(false);
  const goOn = goFromHere();
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
        <UrlChoice label={t('Kind')} name="kind" chosen={kind} options={kinds()} />
        <SearchField label={t('Search connectors')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Nothing q={q} kind={kind} />
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <ConnectorDialog onClose={() => setMaking(false)} onDone={({ id }) => goOn(`/connectors/${id}`)} />}
    </div>
  );
}

function Nothing({ q, kind }: { q: string; kind: 'all' | 'mcp' }) {
  if (q) return <Empty title={t('No connector matches')}>{t('Search for other words.')}</Empty>;
  return kind === 'mcp' ? (
    <Empty title={t('No MCP servers yet')}>
      {t('An MCP server lends its tools to runs and chats: make a connector of the type MCP.')}
    </Empty>
  ) : (
    <Empty title={t('No connectors yet')}>
      {t('A connector is another system: its endpoints are tools of runs and chats.')}
    </Empty>
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
  { head: t('Type'), cell: typeName },
  {
    head: t('State'),
    cell: ({ type, mcpStatus, lastVerificationStatus, enabled }) =>
      hasFoundTools({ type }) ? (
        <McpServer status={mcpStatus} />
      ) : (
        (type !== 'Email' || !enabled) && <Verification status={lastVerificationStatus} enabled={enabled} />
      ),
  },
  {
    head: t('Tools'),
    num: true,
    cell: ({ type, mcpToolCount, endpointCount }) =>
      formatNumber(hasFoundTools({ type }) ? mcpToolCount : endpointCount),
  },
];
