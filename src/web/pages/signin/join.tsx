// Makes the account of somebody who was invited.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { joinByInvitation } from '../../state/session.ts';
import { TextField } from '../../ui/field.tsx';
import { PasswordField, UsernameField } from './fields.tsx';
import { Way, type WayProps } from './way.tsx';

export function Join({ token, onSignIn, ...rest }: WayProps & { token: string }) {
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const join = () => joinByInvitation({ inviteToken: token, username: username.trim(), email: email.trim(), password });
  return (
    <Way {...rest} onSubmit={() => onSignIn(join)} label={t('Join')}>
      <p>{t('You are invited. Choose a name and a password.')}</p>
      <UsernameField value={username} onChange={setUsername} />
      <TextField label={t('E-mail address')} value={email} onChange={setEmail} required autoComplete="email" />
      <PasswordField value={password} onChange={setPassword} isNew />
    </Way>
  );
}
