// Nodes, stores and queues: what the server stands on, what waits in it, and how it is steered.
import { useState } from 'react';
import type { QueueAction, QueueDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatBytes, formatNumber, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';

export function Queues() {
  const queues = useResource('queues', () => client.infrastructure.queues());
  useReloadOn(
    useNews('system', ({ type }) => type === 'system.queue'),
    queues.reload,
  );
  useEvery(queues.reload);
  return (
    <div className="stack">
      <Loaded resource={queues}>
        {(rows) => (
          <section className="card">
            <div className="card-head">
              <h2>{t('Queues')}</h2>
            </div>
            <Table
              rows={rows}
              keyOf={(queue) => queue.name}
              columns={[
                {
                  head: t('Queue'),
                  cell: (queue) => (
                    <>
                      {queue.name} {queue.paused && <State name="Paused" />}
                      <div className="faint small">{queue.lastError ?? queue.description}</div>
                    </>
                  ),
                },
                { head: t('Waiting'), num: true, cell: (queue) => formatNumber(queue.waiting) },
                { head: t('Delayed'), num: true, cell: (queue) => formatNumber(queue.delayed) },
                { head: t('Active'), num: true, cell: (queue) => formatNumber(queue.active) },
                { head: t('Failed'), num: true, cell: (queue) => formatNumber(queue.failed) },
                { head: t('Ended within the hour'), num: true, cell: (queue) => formatNumber(queue.completedLastHour) },
                { head: t('Actions'), cell: (queue) => <Steer queue={queue} onDone={queues.reload} /> },
              ]}
            />
          </section>
        )}
      </Loaded>
      <Nodes />
      <Stores />
    </div>
  );
}

function Steer({ queue, onDone }: { queue: QueueDto; onDone: () => void }) {
  const { busy, act } = useAction();
  const [draining, setDraining] = useState(false);
  if (!may('InfrastructureWrite')) return <span className="faint">–</span>;
  const control = (action: QueueAction) =>
    client.infrastructure.control({ params: { name: queue.name }, body: { action } });
  const steer = (action: QueueAction) => void act(() => control(action)).then(onDone);
  return (
    <div className="row">
      <Button size="small" disabled={busy} onClick={() => steer(queue.paused ? 'Resume' : 'Pause')}>
        {queue.paused ? t('Resume') : t('Pause')}
      </Button>
      {queue.failed > 0 && (
        <Button size="small" disabled={busy} onClick={() => steer('RetryFailed')}>
          {t('Retry what failed')}
        </Button>
      )}
      {queue.waiting + queue.delayed > 0 && (
        <Button size="small" kind="danger" disabled={busy} onClick={() => setDraining(true)}>
          {t('Drain')}
        </Button>
      )}
      {draining && (
        <Confirm
          title={t('Empty the queue {name}?', { name: queue.name })}
          action={t('Drain')}
          onConfirm={() => control('Drain').then(onDone)}
          onClose={() => setDraining(false)}
        >
          <p>
            {t('What waits or is delayed is cancelled: {n} jobs.', { n: formatNumber(queue.waiting + queue.delayed) })}
          </p>
        </Confirm>
      )}
    </div>
  );
}

function Nodes() {
  const now = useNow();
  const nodes = useResource('nodes', () => client.infrastructure.nodes({ query: { includeStale: true } }));
  useEvery(nodes.reload);
  return (
    <Loaded resource={nodes}>
      {(rows) => (
        <section className="card">
          <div className="card-head">
            <h2>{t('Nodes')}</h2>
          </div>
          <Table
            rows={rows}
            keyOf={(node) => node.nodeId}
            columns={[
              { head: t('Node'), cell: (node) => node.nodeId },
              { head: t('Status'), cell: (node) => <State name={node.state} /> },
              { head: t('Processor'), num: true, cell: (node) => `${node.cpuPercent.toFixed(1)} %` },
              { head: t('Memory'), num: true, cell: (node) => formatBytes(node.memoryRssBytes) },
              { head: t('Event loop delay'), num: true, cell: (node) => `${node.eventLoopLagMs.toFixed(1)} ms` },
              { head: t('Runs'), num: true, cell: (node) => formatNumber(node.activeRuns) },
              { head: t('Streams'), num: true, cell: (node) => formatNumber(node.openSockets + node.sseStreams) },
              { head: t('Heard'), cell: (node) => formatAgo(node.lastHeartbeatAtUtc, now) },
            ]}
          />
        </section>
      )}
    </Loaded>
  );
}

function Stores() {
  const stores = useResource('stores', () => client.infrastructure.stores());
  return (
    <Loaded resource={stores}>
      {(rows) => (
        <section className="card">
          <div className="card-head">
            <h2>{t('Stores')}</h2>
          </div>
          <Table
            rows={rows}
            keyOf={(store) => store.name}
            columns={[
              { head: t('Store'), cell: (store) => store.name },
              { head: t('Status'), cell: (store) => <State name={store.state} /> },
              { head: t('Mode'), cell: (store) => words(store.mode) },
              { head: t('Version'), cell: (store) => store.version ?? '–' },
              {
                head: t('Size'),
                num: true,
                cell: (store) => (store.sizeBytes === null ? '–' : formatBytes(store.sizeBytes)),
              },
              {
                head: t('Items'),
                num: true,
                cell: (store) => (store.itemCount === null ? '–' : formatNumber(store.itemCount)),
              },
              { head: t('Detail'), className: 'muted', cell: (store) => store.detail },
            ]}
          />
        </section>
      )}
    </Loaded>
  );
}
