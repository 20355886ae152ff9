// Makes a user: invited by mail, or with a password that is handed over.
import { useState } from 'react';
import type { UserRole } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { systemRoles } from './user-dialog.tsx';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

export function NewUserDialog({ onClose, onDone }: Props) {
  const [username, setUsername] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<UserRole>('Member');
  const [sendInvite, setInvite] = useState(true);
  const save = async () => {
    const given = Object.entries({ displayName, email: email.trim(), password: sendInvite ? '' : password });
    const body = {
      username: username.trim(),
      role,
      sendInvite,
      ...Object.fromEntries(given.filter(([, text]) => text)),
    };
    await client.users.create({ body });
    say(sendInvite ? t('Invited') : t('User created'));
    onDone();
  };
  return (
    <FormDialog
      title={t('New user')}
      action={sendInvite ? t('Invite') : t('Create')}
      ready={username.trim() !== '' && (!sendInvite || email.trim() !== '')}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Username')} value={username} onChange={setUsername} required />
      <TextField label={t('Display name')} value={displayName} onChange={setDisplayName} />
      <TextField name="email" label={t('E-mail address')} value={email} onChange={setEmail} required={sendInvite} />
      <SelectField label={t('Role')} value={role} onChange={setRole} options={namesOf(systemRoles)} />
      <CheckField label={t('Invite by mail to choose a password')} checked={sendInvite} onChange={setInvite} />
      {!sendInvite && (
        <TextField
          label={t('Password')}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          hint={t('Without one, nobody can sign in until it is set.')}
        />
      )}
    </FormDialog>
  );
}
