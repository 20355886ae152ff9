// Says what is so in a project, and since when.
import type { Provenance } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { provenances } from './vocabulary.ts';

interface Props {
  projectId: number;
  onClose: () => void;
  onDone: (key: string) => void;
}

const empty = {
  key: '',
  value: '',
  category: '',
  importance: '5',
  since: '',
  provenance: 'Observed' as Provenance,
  isCritical: false,
};

export function FactDialog({ projectId, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`fact.new.${projectId}`, empty);
  const save = async () => {
    const { since, category, importance, ...rest } = written;
    const made = await client.facts.create({
      params: { projectId },
      body: {
        ...rest,
        importance: Number(importance),
        ...(category.trim() ? { category } : {}),
        ...(since ? { validFromUtc: new Date(since).toISOString() } : {}),
      },
    });
    clear();
    onDone(made.key);
  };
  return (
    <FormDialog
      title={t('New fact')}
      action={t('Save')}
      ready={written.key.trim() !== '' && written.value.trim() !== '' && written.importance !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        name="key"
        label={t('Name')}
        value={written.key}
        onChange={(key) => write({ key })}
        placeholder="gauge.height"
        hint={t('A name that is there already gets a new value; the one that it had ends then.')}
        required
      />
      <TextField label={t('Value')} value={written.value} onChange={(value) => write({ value })} rows={2} required />
      <div className="form-grid">
        <TextField
          name="validFromUtc"
          label={t('So since')}
          type="datetime-local"
          value={written.since}
          onChange={(since) => write({ since })}
          hint={t('Empty: since now.')}
        />
        <TextField label={t('Category')} value={written.category} onChange={(category) => write({ category })} />
        <TextField
          label={t('Importance, 1 to 10')}
          type="number"
          value={written.importance}
          onChange={(importance) => write({ importance })}
        />
        <SelectField
          label={t('Origin')}
          value={written.provenance}
          onChange={(provenance) => write({ provenance })}
          options={namesOf(provenances)}
        />
      </div>
      <CheckField
        label={t('Critical: told to every run and chat of the project')}
        checked={written.isCritical}
        onChange={(isCritical) => write({ isCritical })}
      />
    </FormDialog>
  );
}
