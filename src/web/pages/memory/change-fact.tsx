// A fact has changed, was never so, has ended, or is taken back: four things that its history tells apart.
import { useState } from 'react';
import type { FactDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { localTime } from './as-of.tsx';

export type HowChanged = 'change' | 'correct' | 'end' | 'takeBack';

interface Props {
  fact: FactDto;
  how: HowChanged;
  onClose: () => void;
  onDone: () => void;
}

export function ChangeFact(props: Props) {
  switch (props.how) {
    case 'takeBack':
      return <TakeBack {...props} />;
    case 'end':
      return <End {...props} />;
    default:
      return <NewValue {...props} />;
  }
}

function NewValue({ fact, how, onClose, onDone }: Props) {
  const isChange = how === 'change';
  const initial = { value: fact.value, at: localTime(isChange ? Date.now() : Date.parse(fact.validFromUtc)) };
  const { written, write, clear } = useDraftRecord(`fact.${how}.${fact.id}`, initial);
  const validFromUtc = () => new Date(written.at).toISOString();
  const save = async () => {
    const { value } = written;
    const { projectId, key, category, importance, isCritical } = fact;
    if (isChange) {
      const body = { key, value, category, importance, isCritical, validFromUtc: validFromUtc() };
      await client.facts.create({ params: { projectId }, body });
    } else {
      const moved = written.at === initial.at ? {} : { validFromUtc: validFromUtc() };
      await client.facts.patch({ params: { id: fact.id }, body: { value, ...moved } });
    }
    clear();
    onDone();
  };
  return (
    <FormDialog
      title={isChange ? t('“{key}” has changed', { key: fact.key }) : t('Correct “{key}”', { key: fact.key })}
      action={t('Save')}
      ready={written.value.trim() !== '' && written.at !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <p className="muted">
        {isChange
          ? t('What holds now ends at that moment, and stays true of the time before.')
          : t('What is written counts as never true; what is known from now on is this.')}
      </p>
      <TextField label={t('Value')} value={written.value} onChange={(value) => write({ value })} rows={3} required />
      <TextField
        name="validFromUtc"
        label={isChange ? t('Since when') : t('So since')}
        type="datetime-local"
        value={written.at}
        onChange={(at) => write({ at })}
      />
    </FormDialog>
  );
}

function End({ fact, onClose, onDone }: Props) {
  const [at, setAt] = useState(() => localTime(Date.now()));
  const save = async () => {
    const body = { validUntilUtc: new Date(at).toISOString() };
    await client.facts.patch({ params: { id: fact.id }, body });
    onDone();
  };
  return (
    <FormDialog
      title={t('“{key}” has ended', { key: fact.key })}
      action={t('Save')}
      ready={at !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="muted">{t('It stays true of the time before; nothing takes its place.')}</p>
      <TextField name="validUntilUtc" label={t('Until when')} type="datetime-local" value={at} onChange={setAt} />
    </FormDialog>
  );
}

function TakeBack({ fact, onClose, onDone }: Props) {
  const takeBack = async () => {
    await client.facts.remove({ params: { id: fact.id } });
    say(t('Taken back'));
    onDone();
  };
  return (
    <Confirm
      title={t('Take “{key}” back?', { key: fact.key })}
      action={t('Take back')}
      onConfirm={takeBack}
      onClose={onClose}
    >
      <p>{t('It counts as never written, from now on: what it had ended holds again. The history keeps it.')}</p>
    </Confirm>
  );
}
