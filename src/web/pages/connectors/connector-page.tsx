// One connector: how it stands, its endpoints, and a call of each by hand.
import '../../styles/people.css';
import { useState } from 'react';
import type { ConnectorDto, ConnectorEndpointDto } from '../../../client/index.ts';
import { formatDate, formatNumber, t, words } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { PageProps } from '../page-props.ts';
import { Deliveries } from './deliveries.tsx';
import { EndpointDialog, TryDialog } from './endpoint-dialogs.tsx';
import { hasEndpoints, hasFoundTools, typeName, Verification } from './marks.tsx';
import { McpTools } from './mcp-tools.tsx';

export function ConnectorPage({ params }: PageProps) {
  const id = Number(params.id);
  // Nothing is read of one that is being deleted: its parts go one after the other.
  const [isLeaving, setLeaving] = useState(false);
  const key = isLeaving ? null : `connector ${id}`;
  const connector = useKept(useResource(key, () => client.connectors.get({ params: { id } })));
  useReloadOn(useNews('connectors'), connector.reload);
  useTitle(connector.data?.name ?? t('Connector'));
  return (
    <div className="page">
      <Loaded resource={connector} back={{ href: '#/connectors', label: t('All connectors') }}>
        {(one) => (
          <>
            <Head connector={one} onChange={connector.reload} onLeaving={setLeaving} />
            <section className="stack" aria-label={t('How it stands')}>
              {!hasFoundTools(one) && ((one.type !== 'Webhook' && one.type !== 'Email') || !one.enabled) && (
                <div className="row wrap">
                  <Verification status={one.lastVerificationStatus} enabled={one.enabled} />
                </div>
              )}
              {one.description && <p className="muted">{one.description}</p>}
              <FactGrid facts={factsOf(one)} />
            </section>
            {hasFoundTools(one) && <McpTools connector={one} onChange={connector.reload} />}
            {hasEndpoints(one) && <Endpoints connector={one} onChange={connector.reload} />}
            {one.type === 'Email' && <MailOf connector={one} />}
            {one.type === 'Webhook' && <Deliveries connectorId={one.id} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

function MailOf({ connector: { id, enabled } }: { connector: ConnectorDto }) {
  return (
    <section className="stack" aria-label={t('Mail')}>
      <h2>{t('Mail')}</h2>
      <p>{t('Runs and chats search, read and send mail with it; a person approves each mail before it is sent.')}</p>
      {enabled && may('EmailRead') && (
        <div>
          <LinkButton href={`#/connectors/${id}/mail`} kind="primary" icon="mail">
            {t('Open the mail')}
          </LinkButton>
        </div>
      )}
    </section>
  );
}

interface Props {
  connector: ConnectorDto;
  onChange: () => void;
}

function Head({ connector, onChange, onLeaving }: Props & { onLeaving: (is: boolean) => void }) {
  const { busy, act } = useAction();
  const [removing, setRemoving] = useState(false);
  const { id, type, enabled } = connector;
  const verify = () => client.connectors.verify({ params: { id }, body: {} }).then(onChange);
  const signIn = async () => {
    // A server that asks for it says who signs in, so that nothing else is to be filled in.
    if (connector.authMethod === 'None')
      await client.connectors.patch({ params: { id }, body: { authMethod: 'OAuth2AuthorizationCode' } });
    const { authorizationUrl } = await client.connectors.beginSignIn({ params: { id } });
    window.location.assign(authorizationUrl);
  };
  const turn = () => client.connectors.patch({ params: { id }, body: { enabled: !enabled } }).then(onChange);
  const remove = async () => {
    const goOn = goFromHere();
    onLeaving(true);
    try {
      await client.connectors.remove({ params: { id } });
    } catch (error) {
      onLeaving(false);
      throw error;
    }
    goOn('/connectors');
  };
  return (
    <div className="page-head">
      <h1>{connector.name}</h1>
      {may('ConnectorsWrite') && (
        <div className="row wrap">
          {hasEndpoints(connector) && type !== 'Webhook' && (
            <Button kind="primary" icon="refresh" disabled={busy} onClick={() => void act(verify)}>
              {t('Verify')}
            </Button>
          )}
          {isForSignIn(connector) && (
            <Button
              kind={connector.mcpStatus === 'AuthRequired' ? 'primary' : 'normal'}
              icon="key"
              disabled={busy}
              onClick={() => void act(signIn)}
            >
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

const isForSignIn = ({ authMethod, mcpStatus, mcpTransportType }: ConnectorDto) =>
  authMethod === 'OAuth2AuthorizationCode' ||
  (authMethod === 'None' && mcpStatus === 'AuthRequired' && mcpTransportType !== 'Stdio');

const isSignedIn = ({ credentialsSummary }: ConnectorDto) => credentialsSummary?.signedIn === true;

const factsOf = (one: ConnectorDto): (readonly [string, string])[] => [
  [t('Type'), typeName(one)],
  ...(one.baseUrl ? [[t('Address'), one.baseUrl] as const] : []),
  ...(one.mcpEndpoint
    ? [[one.mcpTransportType === 'Stdio' ? t('Command') : t('Endpoint'), one.mcpEndpoint] as const]
    : []),
  ...(one.orgUnitId !== null ? [[t('For the work of'), one.orgUnitName ?? `#${one.orgUnitId}`] as const] : []),
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
  if (one.type === 'Webhook' || one.type === 'Custom' || one.type === 'Email') return [];
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
