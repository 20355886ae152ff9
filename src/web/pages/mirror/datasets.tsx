// Datasets: made, filled with approved pairs, downloaded in the formats of trainers, and trained on.
import { useState } from 'react';
import type { DatasetFormat, TrainingDatasetDto, TrainingObjective } from '../../../client/index.ts';
import { formatNumber, namesOf, plural, t, words } from '../../base/i18n.ts';
import { patchFromHere } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import type { PartProps } from './part-props.ts';

const objectives: TrainingObjective[] = [
  ...(['Honesty', 'Calibration', 'Helpfulness', 'InstructionFollowing', 'ToolUse'] as const),
  ...(['Planning', 'Safety', 'Style', 'Persona', 'Escalation'] as const),
];
const formats: DatasetFormat[] = ['Jsonl', 'Dpo', 'Sft', 'Csv'];

export function Datasets({ identityId, news }: PartProps) {
  const [making, setMaking] = useState(false);
  const [chosen, setChosen] = useState<{ set: TrainingDatasetDto; to: 'train' | 'delete' } | null>(null);
  const list = useKept(
    useResource(`datasets ${identityId}`, () =>
      client.datasets.list({ params: { identityId }, query: { pageSize: 100 } }),
    ),
  );
  useReloadOn(news, list.reload);
  const close = () => setChosen(null);
  return (
    <>
      {may('MirrorWrite') && (
        <div>
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New dataset')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No datasets yet')}>
              {t('A dataset holds approved pairs that are trained on together.')}
            </Empty>
          ) : (
            <Table
              rows={items}
              keyOf={({ id }) => id}
              columns={columnsOf(list.reload, (set, to) => setChosen({ set, to }))}
            />
          )
        }
      </Loaded>
      {making && <DatasetForm identityId={identityId} onClose={() => setMaking(false)} onDone={list.reload} />}
      {chosen?.to === 'train' && <TrainForm set={chosen.set} onClose={close} />}
      {chosen?.to === 'delete' && (
        <Confirm
          title={t('Delete the dataset {name}?', { name: chosen.set.name })}
          action={t('Delete')}
          onConfirm={async () => {
            await client.datasets.remove({ params: { id: chosen.set.id } });
            list.reload();
          }}
          onClose={close}
        >
          <p>{t('Its pairs stay.')}</p>
        </Confirm>
      )}
    </>
  );
}

const columnsOf = (
  onDone: () => void,
  onChoose: (set: TrainingDatasetDto, to: 'train' | 'delete') => void,
): Column<TrainingDatasetDto>[] => [
  {
    head: t('Dataset'),
    className: 'wide',
    cell: ({ name, version, description }) => (
      <>
        <strong>{name}</strong> <span className="tag num">{version}</span>
        {description && <div className="small muted">{description}</div>}
      </>
    ),
  },
  { head: t('Objective'), cell: ({ primaryObjective }) => words(primaryObjective) },
  { head: t('Status'), cell: ({ status }) => words(status) },
  { head: t('Pairs'), num: true, cell: ({ pairCount }) => formatNumber(pairCount) },
  { head: '', cell: (set) => <Actions set={set} onDone={onDone} onChoose={onChoose} /> },
];

interface ActionsProps {
  set: TrainingDatasetDto;
  onDone: () => void;
  onChoose: (set: TrainingDatasetDto, to: 'train' | 'delete') => void;
}

function Actions({ set, onDone, onChoose }: ActionsProps) {
  const { busy, act } = useAction();
  const { id, name, version, status, pairCount } = set;
  const params = { id };
  const fill = () =>
    act(async () => {
      const { added, skipped } = await client.datasets.populate({ params, body: {} });
      say(t('{added} added, {skipped} skipped', { added, skipped }));
      onDone();
    });
  const download = (format: DatasetFormat) =>
    act(async () => {
      const answer = await client.datasets.export({ params, query: { format } });
      await saveAs(answer, `${name}-${version}-${format.toLowerCase()}.${format === 'Csv' ? 'csv' : 'jsonl'}`);
    });
  const canWrite = may('MirrorWrite');
  return (
    <div className="row wrap">
      {canWrite && status !== 'InUse' && (
        <Button size="small" disabled={busy} onClick={() => void fill()}>
          {t('Fill')}
        </Button>
      )}
      {canWrite && pairCount > 0 && (status === 'Ready' || status === 'Trained') && (
        <Button size="small" onClick={() => onChoose(set, 'train')}>
          {t('Train')}
        </Button>
      )}
      {pairCount > 0 &&
        formats.map((format) => (
          <Button
            key={format}
            size="small"
            kind="plain"
            icon="down"
            disabled={busy}
            onClick={() => void download(format)}
          >
            {format.toUpperCase()}
          </Button>
        ))}
      {canWrite && status !== 'InUse' && status !== 'Trained' && (
        <Button size="small" kind="danger" onClick={() => onChoose(set, 'delete')}>
          {t('Delete')}
        </Button>
      )}
    </div>
  );
}

const empty = { name: '', description: '', primaryObjective: 'Honesty' as TrainingObjective };

function DatasetForm({ identityId, onClose, onDone }: { identityId: number; onClose: () => void; onDone: () => void }) {
  const { written, write, clear } = useDraftRecord(`dataset.${identityId}`, empty);
  const save = async () => {
    const { description, ...rest } = written;
    await client.datasets.create({ params: { identityId }, body: { ...rest, description: description || null } });
    clear();
    onDone();
  };
  return (
    <FormDialog
      title={t('New dataset')}
      action={t('Save')}
      ready={written.name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField label={t('Name')} value={written.name} onChange={(name) => write({ name })} required />
      <SelectField
        label={t('Objective')}
        value={written.primaryObjective}
        onChange={(primaryObjective) => write({ primaryObjective })}
        options={namesOf(objectives)}
      />
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
        rows={2}
      />
    </FormDialog>
  );
}

function TrainForm({ set, onClose }: { set: TrainingDatasetDto; onClose: () => void }) {
  const { written, write, clear } = useDraftRecord(`training.${set.id}`, {
    baseModelName: '',
    hyperparametersJson: '',
  });
  const start = async () => {
    const { baseModelName, hyperparametersJson } = written;
    const patch = patchFromHere();
    const body = { datasetId: set.id, baseModelName, hyperparametersJson: hyperparametersJson.trim() || null };
    await client.trainingRuns.create({ params: { identityId: set.identityId }, body });
    clear();
    patch({ tab: 'runs' });
  };
  return (
    <FormDialog
      title={t('Train on {name}', { name: set.name })}
      action={t('Start')}
      ready={written.baseModelName.trim() !== ''}
      onSubmit={start}
      onClose={onClose}
      onDiscard={clear}
    >
      <p className="muted">{plural(set.pairCount, '{n} pair as it is now', '{n} pairs as they are now')}</p>
      <TextField
        name="baseModelName"
        label={t('Base model')}
        value={written.baseModelName}
        onChange={(baseModelName) => write({ baseModelName })}
        required
      />
      <TextField
        label={t('Hyperparameters, JSON')}
        value={written.hyperparametersJson}
        onChange={(hyperparametersJson) => write({ hyperparametersJson })}
        rows={3}
        mono
      />
    </FormDialog>
  );
}
