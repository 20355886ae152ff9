// Processes, stores, queues and logs, where the server tells of them.
import { formatBytes, formatClock, formatNumber, t, words } from '../../base/i18n.ts';
import { useEvery } from '../../state/every.ts';
import { infrastructure } from '../../state/operations.ts';
import { useResource } from '../../state/resource.ts';
import { useTopic } from '../../state/topic.ts';
import { Copyable } from '../../ui/code.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

export function Nodes() {
  const nodes = useResource('nodes', () => infrastructure.nodes());
  useEvery(nodes.reload);
  return (
    <Loaded resource={nodes}>
      {(items) => (
        <Table
          rows={items}
          keyOf={(node) => node.nodeId}
          columns={[
            {
              head: t('Process'),
              cell: (node) => (
                <>
                  {node.hostName} <Copyable text={node.nodeId} />
                </>
              ),
            },
            { head: t('State'), cell: (node) => <State name={node.state} /> },
            { head: t('CPU'), num: true, cell: (node) => `${node.cpuPercent.toFixed(0)} %` },
            { head: t('Memory'), num: true, cell: (node) => formatBytes(node.memoryRssBytes) },
            { head: t('Loop delay'), num: true, cell: (node) => `${node.eventLoopLagMs.toFixed(1)} ms` },
            { head: t('Sockets'), num: true, cell: (node) => formatNumber(node.openSockets + node.sseStreams) },
            { head: t('Runs'), num: true, cell: (node) => formatNumber(node.activeRuns) },
            { head: t('Requests/min'), num: true, cell: (node) => formatNumber(node.requestsPerMinute) },
          ]}
        />
      )}
    </Loaded>
  );
}

export function Stores() {
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

export function Queues() {
  const queues = useResource('queues', () => infrastructure.queues());
  useEvery(queues.reload);
  return (
    <Loaded resource={queues}>
      {(items) => (
        <Table
          rows={items}
          keyOf={(queue) => queue.name}
          columns={[
            {
              head: t('Queue'),
              cell: (queue) => (
                <>
                  {queue.name} {queue.paused && <span className="tag">{t('paused')}</span>}
                </>
              ),
            },
            { head: t('Waiting'), num: true, cell: (queue) => formatNumber(queue.waiting) },
            { head: t('Active'), num: true, cell: (queue) => formatNumber(queue.active) },
            { head: t('Failed'), num: true, cell: (queue) => formatNumber(queue.failed) },
            { head: t('A minute'), num: true, cell: (queue) => queue.throughputPerMinute.toFixed(1) },
          ]}
        />
      )}
    </Loaded>
  );
}

export function Logs() {
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
