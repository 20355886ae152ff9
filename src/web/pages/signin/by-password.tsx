// Sign in with a password, and a code where the account has a second factor; or have a link mailed to set a new one.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toApiError } from '../../state/resource.ts';
import { requestPasswordMail, signInWithPassword } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { PasswordField, UsernameField } from './fields.tsx';
import { Way, type WayProps } from './way.tsx';

const asksForCode = (error: unknown) => ['MFA_REQUIRED', 'MFA_INVALID'].includes(toApiError(error).code);

export function ByPassword({ onSignIn, ...rest }: WayProps) {
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(true);
  const [needsCode, setNeedsCode] = useState(false);
  const [code, setCode] = useState('');
  const [forgot, setForgot] = useState(false);
  if (forgot) return <Forgot onBack={() => setForgot(false)} />;
  const attempt = async () => {
    try {
      await signInWithPassword(login.trim(), password, { rememberMe: remember, ...(code && { mfaCode: code.trim() }) });
    } catch (error) {
      if (asksForCode(error)) setNeedsCode(true);
      throw error;
    }
  };
  return (
    <>
      <Way {...rest} onSubmit={() => onSignIn(attempt)}>
        <UsernameField value={login} onChange={setLogin} />
        <PasswordField value={password} onChange={setPassword} />
        {needsCode && (
          <TextField
            label={t('Code')}
            value={code}
            onChange={setCode}
            required
            autoComplete="one-time-code"
            hint={t('From your authenticator app, or one of your recovery codes.')}
          />
        )}
        <CheckField label={t('Keep me signed in')} checked={remember} onChange={setRemember} />
      </Way>
      <Button onClick={() => setForgot(true)}>{t('Forgot password')}</Button>
    </>
  );
}

function Forgot({ onBack }: { onBack: () => void }) {
  const [login, setLogin] = useState('');
  const [sent, setSent] = useState(false);
  const { busy, error, act } = useAction('shown');
  const ask = () => void act(() => requestPasswordMail(login.trim())).then(setSent);
  return (
    <div className="stack">
      {sent ? (
        <p role="status">{t('If this account has an e-mail address, a link to set a new password is on its way.')}</p>
      ) : (
        <Way error={error?.message ?? null} busy={busy} onSubmit={ask} label={t('Mail me a link')}>
          <UsernameField label={t('Username or e-mail address')} value={login} onChange={setLogin} />
        </Way>
      )}
      <Button onClick={onBack}>{t('Back')}</Button>
    </div>
  );
}
