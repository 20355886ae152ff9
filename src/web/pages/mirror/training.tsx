// Training runs: how each stands, what came of it, and what a person may do with it.
import { useState } from 'react';
import type { TrainingRunDto, TrainingRunStatus } from '../../../client/index.ts';
import { formatDate, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { PartProps } from './part-props.ts';

const looks: Record<TrainingRunStatus, [Shape, Tone]> = {
  Queued: ['hollow', 'plain'],
  Running: ['flow', 'accent'],
  Evaluating: ['gauge', 'accent'],
  AwaitingApproval: ['gate', 'warn'],
  Approved: ['tick', 'good'],
  Rejected: ['dam', 'plain'],
  Failed: ['cross', 'bad'],
  Cancelled: ['dam', 'plain'],
};

/** What a person may bring a run to, with what that reaches. */
const moves: Partial<Record<TrainingRunStatus, readonly [to: TrainingRunStatus, label: string, reach: string][]>> = {
  Queued: [['Cancelled', 'Cancel', 'The dataset is free again.']],
  Running: [['Cancelled', 'Cancel', 'The trainer is stopped, and the dataset is free again.']],
  Evaluating: [['Cancelled', 'Cancel', 'What was trained is not used.']],
  AwaitingApproval: [
    [
      'Approved',
      'Approve',
      'Its checkpoint becomes the model of the identity wherever a route says so, and its pairs are used up.',
    ],
    ['Rejected', 'Reject', 'Its checkpoint retires, and the dataset is free again.'],
  ],
  Failed: [['Queued', 'Try again', 'It is trained anew on the same pairs.']],
  Cancelled: [['Queued', 'Try again', 'It is trained anew on the same pairs.']],
};

type Asked = { run: TrainingRunDto; to: TrainingRunStatus; label: string; reach: string };

export function Training({ identityId, news }: PartProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const list = useKept(
    useResource(`training runs ${identityId}`, () =>
      client.trainingRuns.list({ params: { identityId }, query: { pageSize: 100 } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <>
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No training runs yet')}>{t('Choose a dataset and train on it.')}</Empty>
          ) : (
            <Table rows={items} keyOf={({ id }) => id} columns={columnsOf(setAsked)} />
          )
        }
      </Loaded>
      {asked && (
        <Confirm
          title={t('{action} training run {id}?', { action: t(asked.label), id: asked.run.id })}
          action={t(asked.label)}
          onConfirm={async () => {
            await client.trainingRuns.setStatus({ params: { id: asked.run.id }, body: { status: asked.to } });
            list.reload();
          }}
          onClose={() => setAsked(null)}
        >
          <p>{t(asked.reach)}</p>
        </Confirm>
      )}
    </>
  );
}

const isOpenTo = (to: TrainingRunStatus) =>
  may(to === 'Approved' || to === 'Rejected' ? 'TrainingApprove' : 'MirrorWrite');

const columnsOf = (onAsk: (asked: Asked) => void): Column<TrainingRunDto>[] => [
  {
    head: t('Training run'),
    className: 'wide',
    cell: ({ id, baseModelName, adapterOutputPath, errorMessage }) => (
      <>
        <strong>
          {id}: {baseModelName}
        </strong>
        {adapterOutputPath && <div className="small muted mono">{adapterOutputPath}</div>}
        {errorMessage && <div className="small">{errorMessage}</div>}
      </>
    ),
  },
  { head: t('Dataset'), num: true, cell: ({ datasetId }) => datasetId },
  {
    head: t('Status'),
    cell: ({ status }) => {
      const [shape, tone] = looks[status];
      return (
        <Chip shape={shape} tone={tone}>
          {words(status)}
        </Chip>
      );
    },
  },
  { head: t('Figures'), cell: ({ evaluationMetricsJson }) => figuresOf(evaluationMetricsJson) },
  { head: t('Made'), cell: ({ createdAtUtc }) => formatDate(createdAtUtc) },
  {
    head: '',
    cell: (run) => (
      <div className="row wrap">
        {(moves[run.status] ?? [])
          .filter(([to]) => isOpenTo(to))
          .map(([to, label, reach]) => (
            <Button
              key={to}
              size="small"
              kind={to === 'Approved' ? 'primary' : 'normal'}
              onClick={() => onAsk({ run, to, label, reach })}
            >
              {t(label)}
            </Button>
          ))}
      </div>
    ),
  },
];

/** Figures as names and numbers; nothing where it is something else. */
function figuresOf(json: string | null): string {
  if (json === null) return '–';
  const said: unknown = JSON.parse(json);
  if (typeof said !== 'object' || said === null) return String(said);
  const plain = Object.entries(said).filter(([, value]) => ['number', 'string', 'boolean'].includes(typeof value));
  return plain.map(([name, value]) => `${name} ${value}`).join(', ') || '–';
}
