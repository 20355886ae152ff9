// Forgets many personal memories at once, after it has said how many these are.
import { useState } from 'react';
import type { PersonalMemoryCategory } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { categories } from './personal-words.ts';
import { anyOr } from './vocabulary.ts';

const most = 200;

export function ForgetMany({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [category, setCategory] = useState<PersonalMemoryCategory | ''>('');
  const [tag, setTag] = useState('');
  const [before, setBefore] = useState('');
  const [all, setAll] = useState(false);
  const which = { ...(category ? { category } : {}), ...(tag.trim() ? { tag: tag.trim() } : {}) };
  const beforeUtc = before ? new Date(`${before}T00:00`).toISOString() : null;
  const isSaid = all || Object.keys(which).length > 0 || beforeUtc !== null;
  const reached = useKept(
    useResource(isSaid ? `forget ${JSON.stringify(which)} ${beforeUtc}` : null, async () => {
      const { items, totalCount } = await client.personalMemories.list({ query: { pageSize: most, ...which } });
      const older = items.filter(({ createdAtUtc }) => beforeUtc === null || createdAtUtc < beforeUtc);
      return beforeUtc === null ? totalCount : older.length;
    }),
  );
  const forget = async () => {
    const body = { ...which, ...(beforeUtc ? { beforeUtc } : {}), ...(all ? { all } : {}), confirm: true };
    const { forgotten } = await client.personalMemories.forget({ body });
    say(plural(forgotten, '{n} memory forgotten', '{n} memories forgotten'));
    onDone();
  };
  return (
    <FormDialog title={t('Forget many')} action={t('Forget')} ready={isSaid} onSubmit={forget} onClose={onClose}>
      <p>{t('What matches all that is given is gone for good, from everywhere it was kept to be found.')}</p>
      <div className="form-grid">
        <SelectField label={t('Category')} value={category} onChange={setCategory} options={anyOr(categories)} />
        <TextField label={t('Tag')} value={tag} onChange={setTag} />
        <TextField name="beforeUtc" label={t('Older than')} type="date" value={before} onChange={setBefore} />
      </div>
      <CheckField label={t('Everything')} checked={all} onChange={setAll} />
      <p role="status">
        {isSaid && reached.data !== null
          ? plural(reached.data, 'It reaches {n} memory.', 'It reaches {n} memories.')
          : t('Say what is to be forgotten.')}
      </p>
    </FormDialog>
  );
}
