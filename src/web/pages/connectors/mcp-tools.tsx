// The tools of an MCP server: which agents may use, and what is to be looked at before they may.
import { useState } from 'react';
import type { ConnectorDto, McpToolDto } from '../../../client/index.ts';
import { formatDate, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { McpServer, McpToolMark, Risk } from './marks.tsx';
import { McpSettings } from './mcp-settings.tsx';
import { McpToolDialog } from './mcp-tool-dialog.tsx';

interface Props {
  connector: ConnectorDto;
  onChange: () => void;
}

export function McpTools({ connector, onChange }: Props) {
  const { id } = connector;
  const list = useKept(useResource(`mcp tools ${id}`, () => client.connectorMcp.tools({ params: { id } })));
  useReloadOn(useNews('connectors'), list.reload);
  const [looking, setLooking] = useState<McpToolDto | null>(null);
  const { busy, act } = useAction();
  const done = () => {
    onChange();
    list.reload();
  };
  const discover = () => client.connectorMcp.discover({ params: { id } }).then(done);
  return (
    <section className="stack" aria-label={t('Tools')}>
      <div className="page-head">
        <h2>{t('Tools')}</h2>
        {may('ConnectorsWrite') && (
          <Button
            kind="primary"
            icon="refresh"
            disabled={busy || !connector.enabled}
            onClick={() => void act(discover)}
          >
            {t('Read its tools')}
          </Button>
        )}
      </div>
      <div className="row wrap">
        <McpServer status={connector.mcpStatus} />
        <span className="small muted">
          {connector.mcpLastDiscoveredAtUtc
            ? t('Read {when}', { when: formatDate(connector.mcpLastDiscoveredAtUtc) })
            : t('Not read yet')}
        </span>
      </div>
      {connector.mcpLastError && <p className="muted">{connector.mcpLastError}</p>}
      <Loaded resource={list}>
        {(tools) =>
          tools.length === 0 ? (
            <Empty title={t('No tools known yet')}>
              {t('Reading them connects to the server; those of the first time are accepted as they are.')}
            </Empty>
          ) : (
            <Table rows={[...tools].sort(waitingFirst)} keyOf={(tool) => tool.id} columns={columns(setLooking)} />
          )
        }
      </Loaded>
      <McpSettings connector={connector} />
      {looking && <McpToolDialog tool={looking} onClose={() => setLooking(null)} onDone={done} />}
    </section>
  );
}

const waitingFirst = (a: McpToolDto, b: McpToolDto) => Number(b.waiting) - Number(a.waiting);

const columns = (onLook: (tool: McpToolDto) => void) => [
  {
    head: t('Tool'),
    className: 'wide',
    cell: ({ name, toolName, offeredJson, acceptedJson }: McpToolDto) => (
      <>
        <strong title={toolName}>{name}</strong>
        <div className="small muted clamp">{describedIn(offeredJson ?? acceptedJson)}</div>
      </>
    ),
  },
  { head: t('Risk'), cell: ({ risk }: McpToolDto) => <Risk risk={risk} /> },
  { head: t('State'), cell: (tool: McpToolDto) => <McpToolMark tool={tool} /> },
  {
    head: '',
    cell: (tool: McpToolDto) => (
      <Button size="small" kind={tool.waiting ? 'primary' : 'normal'} onClick={() => onLook(tool)}>
        {t('Look')}
        {/* Long names would not fit. */}
        <span className="visually-hidden"> {t('at {name}', { name: tool.name })}</span>
      </Button>
    ),
  },
];

/** What a server says of its tool. */
function describedIn(json: string | null): string {
  const { title, description } = JSON.parse(json ?? '{}') as { title?: string | null; description?: string | null };
  return description ?? title ?? t('It says nothing of itself.');
}
