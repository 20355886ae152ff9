// Makes a key of an identity: until when it works, and which of the identity's permissions it has.
import { useState } from 'react';
import type { Permission } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PermissionBoxes } from '../people/permission-boxes.tsx';

interface Props {
  identityId: number;
  onMade: (secret: string) => void;
  onDone: () => void;
  onClose: () => void;
}

export function KeyDialog({ identityId, onMade, onDone, onClose }: Props) {
  const [name, setName] = useState('');
  const [end, setEnd] = useState('');
  const [isNarrow, setNarrow] = useState(false);
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(new Set());
  const save = async () => {
    const body = {
      name: name.trim(),
      ...(end ? { expiresAtUtc: new Date(end).toISOString() } : {}),
      ...(isNarrow ? { scopes: [...scopes] } : {}),
    };
    onMade((await client.identityKeys.create({ params: { identityId }, body })).rawKey);
    onDone();
  };
  return (
    <FormDialog
      title={t('New key')}
      action={t('Create')}
      wide
      ready={name.trim() !== '' && !(isNarrow && scopes.size === 0)}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="form-grid">
        <TextField label={t('Name')} value={name} onChange={setName} placeholder={t('such as laptop')} required />
        <TextField
          name="expiresAtUtc"
          label={t('Expires')}
          type="datetime-local"
          value={end}
          onChange={setEnd}
          hint={t('Empty is never.')}
        />
      </div>
      <CheckField label={t('Only some of what the identity may do')} checked={isNarrow} onChange={setNarrow} />
      {isNarrow && <PermissionBoxes given={scopes} fixed={false} onChange={setScopes} />}
    </FormDialog>
  );
}
