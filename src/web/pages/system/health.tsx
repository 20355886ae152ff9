// How the server is: this process, and each part that it needs.
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatBytes, formatDuration, t } from '../../base/i18n.ts';
import { client, server } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useResource } from '../../state/resource.ts';
import { Figures } from '../../ui/figures.tsx';
import { Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

export function Health() {
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
          <Figures
            items={[
              [t('Version'), data.version],
              [t('Uptime'), formatDuration(data.uptimeSeconds * 1000)],
              [t('Memory'), formatBytes(data.memoryRssBytes)],
              [t('Event loop delay'), `${data.eventLoopLagMs.toFixed(1)} ms`],
            ]}
          />
        )}
      </Loaded>
      <Loaded resource={ready}>
        {(data) => (
          <section className="card">
            <div className="card-head">
              <h2>{t('Parts')}</h2>
              <State name={data.status} />
            </div>
            <Table
              rows={data.checks}
              keyOf={(check) => check.name}
              columns={[
                {
                  head: t('Part'),
                  cell: (check) => (
                    <>
                      {check.name}
                      {!check.required && <span className="faint small"> {t('optional')}</span>}
                    </>
                  ),
                },
                { head: t('Status'), cell: (check) => <State name={check.state} /> },
                {
                  head: t('Latency'),
                  num: true,
                  cell: (check) => (check.latencyMs === null ? '–' : `${check.latencyMs.toFixed(1)} ms`),
                },
                { head: t('Detail'), className: 'muted', cell: (check) => check.detail },
              ]}
            />
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
