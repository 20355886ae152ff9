// Checkpoints of a run, and forks from them.
import { useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { formatBytes, formatCost, formatDate, formatShort, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { ForkDialog } from './fork-dialog.tsx';

export function CheckpointsTab({ run }: { run: AgentRunDto }) {
  const checkpoints = useResource(`checkpoints ${run.id}`, () =>
    client.agentRuns.checkpoints({ params: { id: run.id } }),
  );
  useReloadOn(`${run.iterationsUsed} ${run.status}`, checkpoints.reload);
  const [fork, setFork] = useState<string | null>(null);
  return (
    <>
      {fork !== null && <ForkDialog run={run} checkpointId={fork} onClose={() => setFork(null)} />}
      <Loaded resource={checkpoints}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('No checkpoints yet')}>
              {t('A run takes one every few turns, and when you ask for it; a fork can begin from any of them.')}
            </Empty>
          ) : (
            <div className="table-scroll">
              <table className="table">
                <thead>
                  <tr>
                    <th className="num">{t('Turn')}</th>
                    <th>{t('Taken')}</th>
                    <th>{t('State')}</th>
                    <th className="num">{t('Tokens')}</th>
                    <th className="num">{t('Cost')}</th>
                    <th className="num">{t('Size')}</th>
                    <th>{t('Summary')}</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {items.map((one) => (
                    <tr key={one.id}>
                      <td className="num">{one.iteration}</td>
                      <td>
                        <time dateTime={one.createdAtUtc}>{formatDate(one.createdAtUtc)}</time>
                      </td>
                      <td>
                        <RunStatus status={one.status} />
                      </td>
                      <td className="num">{formatShort(one.tokensUsed)}</td>
                      <td className="num">{formatCost(one.costUsd)}</td>
                      <td className="num">{formatBytes(one.sizeBytes)}</td>
                      <td className="muted">{one.summary}</td>
                      <td className="num">
                        {may('RunsWrite') && (
                          <Button size="small" icon="fork" onClick={() => setFork(one.id)}>
                            {t('Fork')}
                          </Button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
