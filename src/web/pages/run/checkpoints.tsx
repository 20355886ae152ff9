// Checkpoints of a run, and forks from them.
import { useState } from 'react';
import type { AgentCheckpointDto, AgentRunDto } from '../../../client/index.ts';
import { formatBytes, formatDate, formatShort, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { costOf } from '../../state/run-figures.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { EditRunDialog } from './edit-run-dialog.tsx';
import { ForkDialog } from './fork-dialog.tsx';

export function CheckpointsTab({ run }: { run: AgentRunDto }) {
  const checkpoints = useResource(`checkpoints ${run.id}`, () =>
    client.agentRuns.checkpoints({ params: { id: run.id } }),
  );
  useReloadOn(`${run.iterationsUsed} ${run.status}`, checkpoints.reload);
  const [fork, setFork] = useState<string | null>(null);
  const [edit, setEdit] = useState<string | null>(null);
  return (
    <>
      {fork !== null && <ForkDialog run={run} checkpointId={fork} onClose={() => setFork(null)} />}
      {edit !== null && <EditRunDialog runId={run.id} place={{ checkpointId: edit }} onClose={() => setEdit(null)} />}
      <Loaded resource={checkpoints}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('No checkpoints yet')}>
              {t('Runs take a checkpoint every few turns and on request; a fork can start from any of them.')}
            </Empty>
          ) : (
            <Table rows={items} keyOf={(one) => one.id} columns={columns(run.modelId, setFork, setEdit)} />
          )
        }
      </Loaded>
    </>
  );
}

const columns = (
  modelId: string | null,
  onFork: (id: string) => void,
  onEdit: (id: string) => void,
): Column<AgentCheckpointDto>[] => [
  { head: t('Turn'), num: true, cell: (one) => one.iteration },
  {
    head: t('Created'),
    className: 'nowrap',
    cell: (one) => <time dateTime={one.createdAtUtc}>{formatDate(one.createdAtUtc)}</time>,
  },
  { head: t('Status'), cell: (one) => <RunStatus status={one.status} /> },
  { head: t('Tokens'), num: true, cell: (one) => formatShort(one.tokensUsed) },
  { head: t('Cost'), num: true, cell: (one) => costOf(one.costUsd, one.tokensUsed, modelId) },
  { head: t('Size'), num: true, cell: (one) => formatBytes(one.sizeBytes) },
  { head: t('Summary'), className: 'muted', cell: (one) => one.summary },
  {
    head: '',
    num: true,
    cell: (one) =>
      may('RunsWrite') && (
        <span className="row">
          <Button size="small" onClick={() => onEdit(one.id)}>
            {t('Edit and run again')}
          </Button>
          <Button size="small" icon="fork" onClick={() => onFork(one.id)}>
            {t('Fork')}
          </Button>
        </span>
      ),
  },
];
