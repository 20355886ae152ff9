// Takes over an identity that agents made: it answers to a person then.
import { useState } from 'react';
import type { IdentityDto } from '../../../client/index.ts';
import { formatDate, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  identity: IdentityDto;
  onClose: () => void;
  onDone: () => void;
}

export function AdoptDialog({ identity, onClose, onDone }: Props) {
  const people = useResource('adopters', async () =>
    may('UsersRead') ? (await client.users.list({ query: { pageSize: 200, sort: 'username' } })).items : [],
  );
  const [userId, setUserId] = useState('');
  const [displayName, setDisplayName] = useState(identity.displayName ?? '');
  const [clearExpiry, setClear] = useState(true);
  const save = async () => {
    const body = {
      ...(userId ? { userId: Number(userId) } : {}),
      ...(displayName.trim() ? { displayName: displayName.trim() } : {}),
      clearExpiry: identity.expiresAtUtc !== null && clearExpiry,
    };
    await client.swarm.adopt({ params: { id: identity.id }, body });
    say(t('Adopted'));
    onDone();
  };
  const able = (people.data ?? []).filter(({ type, isActive }) => type === 'Human' && isActive);
  return (
    <FormDialog
      title={t('Adopt {name}', { name: identity.displayName || identity.name })}
      action={t('Adopt')}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="muted">{t('It answers to a person then, and no longer counts as a child.')}</p>
      <SelectField
        label={t('Answers to')}
        value={userId}
        onChange={setUserId}
        options={[['', t('me')], ...able.map((one) => [String(one.id), one.displayName || one.username] as const)]}
      />
      <TextField label={t('Display name')} value={displayName} onChange={setDisplayName} />
      {identity.expiresAtUtc && (
        <CheckField
          label={t('Keep it beyond {date}', { date: formatDate(identity.expiresAtUtc) })}
          checked={clearExpiry}
          onChange={setClear}
        />
      )}
    </FormDialog>
  );
}
