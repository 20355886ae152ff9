// Sets the password of the signed-in user, who then needs no link or key to sign in.
import { useState } from 'react';
import { t } from '../base/i18n.ts';
import { client, server } from '../state/app.ts';
import { CheckField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say } from '../ui/toast.tsx';

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const [endOtherSessions, setEnd] = useState(false);
  const username = server.get()?.principal.user?.username ?? '';
  const save = async () => {
    await client.users.changePassword({ body: { currentPassword, newPassword, endOtherSessions } });
    say(t('Password set'), t('Sign in as {name} with it from now on.', { name: username }));
  };
  return (
    <FormDialog
      title={t('Set a password')}
      action={t('Set password')}
      ready={newPassword !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={t('New password')}
        type="password"
        value={newPassword}
        onChange={setNew}
        required
        autoComplete="new-password"
        hint={t('Ten characters or more. Your username is {name}.', { name: username })}
      />
      <TextField
        label={t('Current password')}
        type="password"
        value={currentPassword}
        onChange={setCurrent}
        autoComplete="current-password"
        hint={t('Leave it empty if none is set yet.')}
      />
      <CheckField label={t('Sign out all other sessions')} checked={endOtherSessions} onChange={setEnd} />
    </FormDialog>
  );
}
