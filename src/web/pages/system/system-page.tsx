// The server: health of its parts, processes, stores, live connections, logs.
import { useEffect } from 'react';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatBytes, formatClock, formatDuration, formatNumber, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may, server, serves } from '../../state/app.ts';
import { infrastructure } from '../../state/operations.ts';
import { useResource } from '../../state/resource.ts';
import { useTopic } from '../../state/topic.ts';
import { Copyable } from '../../ui/code.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';

type TabKey = 'health' | 'connections' | 'nodes' | 'stores' | 'queues' | 'logs';
const everyMs = 5000;

/** Loads again every few seconds, where no event tells. */
function useEvery(reload: () => void) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload]);
}

export function SystemPage() {
  const { query } = useLocation();
  const items: TabItem<TabKey>[] = [
    { key: 'health', label: t('Health') },
    ...(serves('GET /api/ws/connections') && may('SystemRead')
      ? [{ key: 'connections' as const, label: t('Connections') }]
      : []),
    ...(infrastructure.nodes.served && may('InfrastructureRead')
      ? [{ key: 'nodes' as const, label: t('Processes') }]
      : []),
    ...(infrastructure.stores.served && may('InfrastructureRead')
      ? [{ key: 'stores' as const, label: t('Stores') }]
      : []),
    ...(infrastructure.queues.served && may('InfrastructureRead')
      ? [{ key: 'queues' as const, label: t('Queues') }]
      : []),
    ...(infrastructure.logs.served && may('LogsRead') ? [{ key: 'logs' as const, label: t('Logs') }] : []),
  ];
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? 'health';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('System')}</h1>
      </div>
      <Tabs
        label={t('Parts of the system')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'health' ? null : key })}
      />
      {tab === 'health' && <Health />}
      {tab === 'connections' && <Connections />}
      {tab === 'nodes' && <Nodes />}
      {tab === 'stores' && <Stores />}
      {tab === 'queues' && <Queues />}
      {tab === 'logs' && <Logs />}
    </div>
  );
}

function Health() {
  const now = useNow();
  const ready = useResource('ready', () => client.system.ready());
  const health = useResource('health', () => client.system.health());
  useEvery(ready.reload);
  useEvery(health.reload);
  const info = server.get()?.info;
  return (
    <div className="stack">
      <Loaded resource={health} rows={2}>
        {(data) => (
          <dl className="figures">
            {(
              [
                ['Version', data.version],
                ['Up for', formatDuration(data.uptimeSeconds * 1000)],
                ['Memory', formatBytes(data.memoryRssBytes)],
                ['Loop delay', `${data.eventLoopLagMs.toFixed(1)} ms`],
              ] as const
            ).map(([name, value]) => (
              <div key={name} className="figure">
                <dt>{t(name)}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
      <Loaded resource={ready}>
        {(data) => (
          <section className="card">
            <div className="card-head">
              <h2>{t('Parts')}</h2>
              <State name={data.status} />
            </div>
            <div className="table-scroll">
              <table className="table">
                <thead>
                  <tr>
                    <th>{t('Part')}</th>
                    <th>{t('State')}</th>
                    <th className="num">{t('Answers in')}</th>
                    <th>{t('Detail')}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.checks.map((check) => (
                    <tr key={check.name}>
                      <td>
                        {check.name}
                        {!check.required && <span className="faint small"> {t('optional')}</span>}
                      </td>
                      <td>
                        <State name={check.state} />
                      </td>
                      <td className="num">{check.latencyMs === null ? '–' : `${check.latencyMs.toFixed(1)} ms`}</td>
                      <td className="muted">{check.detail}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </section>
        )}
      </Loaded>
      {info && (
        <p className="muted small">
          {t('Started {ago} on Node {version}.', { ago: formatAgo(info.startedAtUtc, now), version: info.nodeVersion })}{' '}
          {info.features.map((feature) => (
            <span key={feature} className="tag" style={{ marginRight: 4 }}>
              {feature}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

function Connections() {
  const now = useNow();
  const list = useResource('connections', () => client.webSocket.connections({ query: { pageSize: 200 } }));
  useTopic('system', { onEvent: (event) => (event.type as string).startsWith('connection.') && list.reload() });
  useEvery(list.reload);
  return (
    <Loaded resource={list}>
      {({ items }) => (
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>{t('Who')}</th>
                <th>{t('By')}</th>
                <th>{t('Topics')}</th>
                <th className="num">{t('Events out')}</th>
                <th className="num">{t('Sent')}</th>
                <th className="num">{t('Waiting')}</th>
                <th className="num">{t('For')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((one) => (
                <tr key={one.id}>
                  <td>
                    {one.principalName} <span className="faint small">{one.remoteIp}</span>
                  </td>
                  <td>{words(one.transport)}</td>
                  <td className="small muted">
                    {one.topics.slice(0, 6).join(', ')}
                    {one.topics.length > 6 && ` +${one.topics.length - 6}`}
                  </td>
                  <td className="num">{formatNumber(one.messagesOut)}</td>
                  <td className="num">{formatBytes(one.bytesOut)}</td>
                  <td className="num">{formatBytes(one.bufferedBytes)}</td>
                  <td className="num">{formatDuration(now - Date.parse(one.connectedAtUtc))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}

function Nodes() {
  const nodes = useResource('nodes', () => infrastructure.nodes());
  useEvery(nodes.reload);
  return (
    <Loaded resource={nodes}>
      {(items) => (
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>{t('Process')}</th>
                <th>{t('State')}</th>
                <th className="num">{t('CPU')}</th>
                <th className="num">{t('Memory')}</th>
                <th className="num">{t('Loop delay')}</th>
                <th className="num">{t('Sockets')}</th>
                <th className="num">{t('Runs')}</th>
                <th className="num">{t('Requests/min')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((node) => (
                <tr key={node.nodeId}>
                  <td>
                    {node.hostName} <Copyable text={node.nodeId} />
                  </td>
                  <td>
                    <State name={node.state} />
                  </td>
                  <td className="num">{node.cpuPercent.toFixed(0)} %</td>
                  <td className="num">{formatBytes(node.memoryRssBytes)}</td>
                  <td className="num">{node.eventLoopLagMs.toFixed(1)} ms</td>
                  <td className="num">{formatNumber(node.openSockets + node.sseStreams)}</td>
                  <td className="num">{formatNumber(node.activeRuns)}</td>
                  <td className="num">{formatNumber(node.requestsPerMinute)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}

function Stores() {
  const stores = useResource('stores', () => infrastructure.stores());
  return (
    <Loaded resource={stores}>
      {(items) => (
        <div className="grid">
          {items.map((store) => (
            <section key={store.name} className="card">
              <div className="card-head">
                <h2>{store.name}</h2>
                <State name={store.state} />
              </div>
              <div className="card-body stack tight">
                <span className="muted">
                  {words(store.kind)} · {words(store.mode)} {store.version}
                </span>
                {store.sizeBytes !== null && <span className="num">{formatBytes(store.sizeBytes)}</span>}
                {store.detail && <span className="muted small">{store.detail}</span>}
              </div>
            </section>
          ))}
        </div>
      )}
    </Loaded>
  );
}

function Queues() {
  const queues = useResource('queues', () => infrastructure.queues());
  useEvery(queues.reload);
  return (
    <Loaded resource={queues}>
      {(items) => (
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>{t('Queue')}</th>
                <th className="num">{t('Waiting')}</th>
                <th className="num">{t('Active')}</th>
                <th className="num">{t('Failed')}</th>
                <th className="num">{t('A minute')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((queue) => (
                <tr key={queue.name}>
                  <td>
                    {queue.name}
                    {queue.paused && <span className="tag">{t('paused')}</span>}
                  </td>
                  <td className="num">{formatNumber(queue.waiting)}</td>
                  <td className="num">{formatNumber(queue.active)}</td>
                  <td className="num">{formatNumber(queue.failed)}</td>
                  <td className="num">{queue.throughputPerMinute.toFixed(1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}

function Logs() {
  const logs = useResource('logs', () => infrastructure.logs({ query: { pageSize: 200, sort: '-id' } }));
  useTopic('logs', { onEvent: (event) => (event.type as string) === 'log.written' && logs.reload() });
  return (
    <Loaded resource={logs}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No log lines')} />
        ) : (
          <ul className="mono small">
            {items.map((log) => (
              <li key={log.id} className="row">
                <span className="faint">{formatClock(log.createdAtUtc)}</span>
                <State name={log.level} />
                <span>{log.message}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
