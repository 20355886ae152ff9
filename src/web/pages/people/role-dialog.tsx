// Makes a role of users, or changes its name, description and weight.
import { useState } from 'react';
import type { RoleDetailDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { patchFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface Props {
  role?: RoleDetailDto;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ role, onClose, onDone }: Props) {
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [weight, setWeight] = useState(String(role?.weight ?? 0));
  const save = async () => {
    const patch = patchFromHere();
    const body = { name: name.trim(), description: description.trim() || null, weight: Number(weight) };
    if (role) await client.roles.patch({ params: { id: role.id }, body });
    else patch({ role: (await client.roles.create({ body })).id });
    onDone();
  };
  return (
    <FormDialog
      title={role ? t('Change {name}', { name: role.name }) : t('New role')}
      action={t('Save')}
      ready={name.trim() !== '' && weight !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <TextField label={t('Description')} value={description} onChange={setDescription} rows={2} />
      <TextField
        label={t('Weight')}
        type="number"
        value={weight}
        onChange={setWeight}
        hint={t('With weight 0, its users cannot change other users. It cannot be higher than your own.')}
      />
    </FormDialog>
  );
}
