// Writes a dataset: its name, and each input with the answer that is expected.
import { useEffect, useState } from 'react';
import type { EvaluationItemDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  /** Null of a new one. */
  id: number | null;
  onClose: () => void;
  onDone: () => void;
}

type Line = EvaluationItemDto & { key: number };

const blank = (key: number): Line => ({ key, input: '', expected: null, source: null });

export function DatasetDialog({ id, onClose, onDone }: Props) {
  const found = useResource(id === null ? null : `evaluation dataset ${id}`, () =>
    client.evaluationDatasets.get({ params: { id: id ?? 0 } }),
  );
  const [name, setName] = useState('');
  const [lines, setLines] = useState<Line[]>([blank(0)]);
  const [deleting, setDeleting] = useState(false);
  useEffect(() => {
    if (!found.data) return;
    setName(found.data.name);
    setLines(found.data.items.map((item, key) => ({ ...item, key })));
  }, [found.data]);
  const save = async () => {
    const items = lines.flatMap(({ key: _, ...item }) => (item.input.trim() ? [item] : []));
    if (id === null) await client.evaluationDatasets.create({ body: { name, items } });
    else await client.evaluationDatasets.patch({ params: { id }, body: { name, items } });
    onDone();
  };
  const remove = async () => {
    await client.evaluationDatasets.remove({ params: { id: id ?? 0 } });
    say(t('Deleted'));
    onDone();
    onClose();
  };
  if (deleting)
    return (
      <Confirm
        title={t('Delete the dataset {name}?', { name })}
        action={t('Delete')}
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      >
        <p>{t('Experiments that used it keep their results.')}</p>
      </Confirm>
    );
  const body = (
    <>
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <Lines lines={lines} onChange={setLines} />
      {id !== null && may('RunsWrite') && (
        <div>
          <Button kind="danger" size="small" onClick={() => setDeleting(true)}>
            {t('Delete')}
          </Button>
        </div>
      )}
    </>
  );
  return (
    <FormDialog
      wide
      title={id === null ? t('New dataset') : t('Dataset')}
      action={t('Save')}
      ready={name.trim() !== '' && may('RunsWrite')}
      onSubmit={save}
      onClose={onClose}
    >
      {id === null ? body : <Loaded resource={found}>{() => body}</Loaded>}
    </FormDialog>
  );
}

function Lines({ lines, onChange }: { lines: readonly Line[]; onChange: (lines: Line[]) => void }) {
  const change = (key: number, to: Partial<Line>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...to } : line)));
  return (
    <fieldset className="stack">
      <legend>{t('Inputs')}</legend>
      {lines.map(({ key, input, expected, source }, index) => (
        <div className="evaluation-line" key={key}>
          <TextField
            label={t('Input {n}', { n: index + 1 })}
            value={input}
            onChange={(text) => change(key, { input: text })}
            rows={2}
            {...(source ? { hint: source } : {})}
          />
          <TextField
            label={t('Expected answer {n}', { n: index + 1 })}
            value={expected ?? ''}
            onChange={(text) => change(key, { expected: text || null })}
            rows={2}
          />
          <IconButton
            icon="close"
            label={t('Remove input {n}', { n: index + 1 })}
            onClick={() => onChange(lines.filter((line) => line.key !== key))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon="plus" onClick={() => onChange([...lines, blank((lines.at(-1)?.key ?? 0) + 1)])}>
          {t('Add an input')}
        </Button>
      </div>
    </fieldset>
  );
}
