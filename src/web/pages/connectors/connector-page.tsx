// One connector: how it stands, its endpoints, and a call of each by hand.
import '../../styles/people.css';
import { useState } from 'react';
import type { ConnectorDto, ConnectorEndpointDto } from '../../../client/index.ts';
import { formatDate, formatNumber, t, words } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { PageProps } from '../page-props.ts';
import { Deliveries } from './deliveries.tsx';
import { EndpointDialog, TryDialog } from './endpoint-dialogs.tsx';
import { Verification } from './marks.tsx';
import { McpTools } from './mcp-tools.tsx';

export function ConnectorPage({ params }: PageProps) {
  const id = Number(params.id);
  const connector = useKept(useResource(`connector ${id}`, () => client.connectors.get({ params: { id } })));
  useReloadOn(useNews('connectors'), connector.reload);
  return (
    <div className="page">
      <Loaded resource={connector}>
        {(one) => (
          <>
            <Head connector={one} onChange={connector.reload} />
            <section className="stack" aria-label={t('How it stands')}>
              {one.type !== 'Mcp' && (one.type !== 'Webhook' || !one.enabled) && (
                <div className="row wrap">
                  <Verification status={one.lastVerificationStatus} enabled={one.enabled} />
                </div>
              )}
              {one.description && <p className="muted">{one.description}</p>}
              <FactGrid facts={factsOf(one)} />
            </section>
            {one.type === 'Mcp' ? (
              <McpTools connector={one} onChange={connector.reload} />
            ) : (
              <Endpoints connector={one} onChange={connector.reload} />
            )}
            {one.type === 'Webhook' && <Deliveries connectorId={one.id} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

interface Props {
  connector: ConnectorDto;
  onChange: () => void;
}

function Head({ connector, onChange }: Props) {
  const { busy, act } = useAction();
  const [removing, setRemoving] = useState(false);
  const { id, type, enabled } = connector;
  const verify = () => client.connectors.verify({ params: { id }, body: {} }).then(onChange);
  const signIn = async () => {
    const { authorizationUrl } = await client.connectors.beginSignIn({ params: { id } });
    window.location.assign(authorizationUrl);
  };
  const turn = () => client.connectors.patch({ params: { id }, body: { enabled: !enabled } }).then(onChange);
  const remove = async () => {
    await client.connectors.remove({ params: { id } });
    go('/connectors');
  };
  return (
    <div className="page-head">
      <h1>{connector.name}</h1>
      {may('ConnectorsWrite') && (
        <div className="row wrap">
          {type !== 'Mcp' && type !== 'Webhook' && (
            <Button kind="primary" icon="refresh" disabled={busy} onClick={() => void act(verify)}>
              {t('Verify')}
            </Button>
          )}
          {connector.authMethod === 'OAuth2AuthorizationCode' && (
            <Button icon="key" disabled={busy} onClick={() => void act(signIn)}>
              {isSignedIn(connector) ? t('Sign in again') : t('Sign in')}
            </Button>
          )}
          <Button icon={enabled ? 'pause' : 'play'} disabled={busy} onClick={() => void act(turn)}>
            {enabled ? t('Disable') : t('Enable')}
          </Button>
          <Button kind="danger" onClick={() => setRemoving(true)}>
            {t('Delete')}
          </Button>
        </div>
      )}
      {removing && (
        <Confirm
          title={t('Delete this connector?')}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          <p>{t('Its endpoints or tools and its credentials go with it; runs and chats lose these tools.')}</p>
        </Confirm>
      )}
    </div>
  );
}

const isSignedIn = ({ credentialsSummary }: ConnectorDto) => credentialsSummary?.signedIn === true;

const factsOf = (one: ConnectorDto): (readonly [string, string])[] => [
  [t('Type'), words(one.type)],
  ...(one.baseUrl ? [[t('Address'), one.baseUrl] as const] : []),
  ...(one.mcpEndpoint
    ? [[one.mcpTransportType === 'Stdio' ? t('Command') : t('Endpoint'), one.mcpEndpoint] as const]
    : []),
  [t('Authentication'), words(one.authMethod)],
  [t('Credentials'), one.hasCredentials || one.hasConnectionString ? t('kept sealed') : t('none')],
  ...(one.authMethod === 'OAuth2AuthorizationCode'
    ? [[t('Signed in'), isSignedIn(one) ? t('yes') : t('no')] as const]
    : []),
  ...(one.headerNames?.length ? [[t('Headers'), one.headerNames.join(', ')] as const] : []),
  ...lastFact(one),
];

/** What says how it is reached, or when it was tried; one that listens is neither. */
function lastFact(one: ConnectorDto): (readonly [string, string])[] {
  if (one.type === 'Webhook') return [];
  return one.type === 'Mcp'
    ? [[t('Transport'), one.mcpTransportType === 'None' ? words('StreamableHttp') : words(one.mcpTransportType)]]
    : [[t('Verified'), one.lastVerifiedAtUtc ? formatDate(one.lastVerifiedAtUtc) : t('never')]];
}

function Endpoints({ connector, onChange }: Props) {
  const connectorId = connector.id;
  const list = useKept(
    useResource(`endpoints ${connectorId} ${connector.endpointCount}`, () =>
      client.connectors.listEndpoints({ params: { connectorId }, query: { pageSize: 200 } }),
    ),
  );
  const [asking, setAsking] = useState<'new' | ConnectorEndpointDto | null>(null);
  const done = () => {
    onChange();
    list.reload();
  };
  return (
    <section className="stack" aria-label={t('Endpoints')}>
      <div className="page-head">
        <h2>{t('Endpoints')}</h2>
        {may('ConnectorsWrite') && (
          <Button icon="plus" onClick={() => setAsking('new')}>
            {t('New endpoint')}
          </Button>
        )}
      </div>
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No endpoints yet')}>
              {connector.type === 'Webhook'
                ? t('Each endpoint takes one kind of event from the other system.')
                : t('Each endpoint is a tool of runs and chats.')}
            </Empty>
          ) : (
            <Table rows={items} keyOf={({ id }) => id} columns={columns(setAsking)} />
          )
        }
      </Loaded>
      {asking === 'new' && <EndpointDialog connector={connector} onClose={() => setAsking(null)} onDone={done} />}
      {asking !== null && asking !== 'new' && <TryDialog endpoint={asking} onClose={() => setAsking(null)} />}
    </section>
  );
}

const columns = (onTry: (one: ConnectorEndpointDto) => void) => [
  {
    head: t('Endpoint'),
    className: 'wide',
    cell: ({ name, description }: ConnectorEndpointDto) => (
      <>
        <strong>{name}</strong>
        {description && <div className="small muted clamp">{description}</div>}
      </>
    ),
  },
  {
    head: t('Call'),
    cell: ({ method, path, tableName, methodSignature, webhookEventType, inboundPath }: ConnectorEndpointDto) => (
      <code className="clamp">
        {[inboundPath ? webhookEventType : method, inboundPath ?? path ?? tableName ?? methodSignature]
          .filter(Boolean)
          .join(' ')}
      </code>
    ),
  },
  {
    head: t('Fields mapped'),
    num: true,
    cell: ({ fieldMappingCount }: ConnectorEndpointDto) => formatNumber(fieldMappingCount),
  },
  {
    head: t('Try'),
    cell: (one: ConnectorEndpointDto) =>
      may('ConnectorsWrite') &&
      one.inboundPath === null && (
        <Button icon="play" onClick={() => onTry(one)}>
          {t('Try {name}', { name: one.name })}
        </Button>
      ),
  },
];
