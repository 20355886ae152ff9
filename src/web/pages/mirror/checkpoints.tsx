// Checkpoints as they come from each other, and which of them is in use.
import { useState } from 'react';
import type { CheckpointStatus, ModelCheckpointDto } from '../../../client/index.ts';
import { formatDate, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import type { PartProps } from './part-props.ts';

const looks: Record<CheckpointStatus, [Shape, Tone]> = {
  Candidate: ['hollow', 'accent'],
  Active: ['tick', 'good'],
  Retired: ['dam', 'plain'],
};

export function Checkpoints({ identityId, news }: PartProps) {
  const [making, setMaking] = useState(false);
  const list = useKept(
    useResource(`checkpoints ${identityId}`, () =>
      client.checkpoints.list({ params: { identityId }, query: { pageSize: 200 } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <>
      {may('MirrorWrite') && (
        <div>
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New checkpoint')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No checkpoints yet')}>
              {t(
                'A checkpoint is a model that the identity was trained to. A route that says {checkpoint} uses the active one.',
                {
                  checkpoint: '{checkpoint}',
                },
              )}
            </Empty>
          ) : (
            <ul className="lineage" aria-label={t('Lineage')}>
              {rootsOf(items).map((root) => (
                <Branch key={root.id} one={root} all={items} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {making && (
        <CheckpointForm
          identityId={identityId}
          known={list.data?.items ?? []}
          onClose={() => setMaking(false)}
          onDone={list.reload}
        />
      )}
    </>
  );
}

const rootsOf = (all: readonly ModelCheckpointDto[]) =>
  all.filter(({ parentCheckpointId }) => !all.some(({ id }) => id === parentCheckpointId));

function Branch({ one, all }: { one: ModelCheckpointDto; all: readonly ModelCheckpointDto[] }) {
  const [shape, tone] = looks[one.status];
  const children = all.filter(({ parentCheckpointId }) => parentCheckpointId === one.id);
  return (
    <li>
      <div className="row wrap">
        <strong>{one.modelName}</strong>
        <span className="tag num">{one.version}</span>
        <Chip shape={shape} tone={tone}>
          {words(one.status)}
        </Chip>
        <span className="small muted">
          {formatDate(one.createdAtUtc)}
          {one.trainingRunId !== null && ` · ${t('training run {id}', { id: one.trainingRunId })}`}
        </span>
      </div>
      {one.weightsPath && <div className="small muted mono">{one.weightsPath}</div>}
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Branch key={child.id} one={child} all={all} />
          ))}
        </ul>
      )}
    </li>
  );
}

const empty = { modelName: '', version: '1', weightsPath: '', parent: '', active: false };

interface FormProps {
  identityId: number;
  known: readonly ModelCheckpointDto[];
  onClose: () => void;
  onDone: () => void;
}

function CheckpointForm({ identityId, known, onClose, onDone }: FormProps) {
  const { written, write, clear } = useDraftRecord(`checkpoint.${identityId}`, empty);
  const save = async () => {
    const { modelName, version, weightsPath, parent, active } = written;
    const body = {
      ...{ modelName, version, weightsPath: weightsPath || null, parentCheckpointId: Number(parent) || null },
      ...(active && { status: 'Active' as const }),
    };
    await client.checkpoints.create({ params: { identityId }, body });
    clear();
    onDone();
  };
  const ready = written.modelName.trim() !== '' && written.version.trim() !== '';
  return (
    <FormDialog
      title={t('New checkpoint')}
      action={t('Save')}
      ready={ready}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        name="modelName"
        label={t('What its provider calls it')}
        value={written.modelName}
        onChange={(modelName) => write({ modelName })}
        required
      />
      <div className="form-grid">
        <TextField label={t('Version')} value={written.version} onChange={(version) => write({ version })} required />
        <SelectField
          label={t('Comes from')}
          value={written.parent}
          onChange={(parent) => write({ parent })}
          options={[
            ['', t('nothing')] as const,
            ...known.map((one) => [String(one.id), `${one.modelName} ${one.version}`] as const),
          ]}
        />
      </div>
      <TextField
        name="weightsPath"
        label={t('Where its weights are')}
        value={written.weightsPath}
        onChange={(weightsPath) => write({ weightsPath })}
      />
      {may('TrainingApprove') && (
        <CheckField
          label={t('Put it into use now')}
          checked={written.active}
          onChange={(active) => write({ active })}
        />
      )}
    </FormDialog>
  );
}
