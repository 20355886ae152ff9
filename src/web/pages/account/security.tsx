// The password and the second factor of the account.
import { useState } from 'react';
import type { AuthPrincipalDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { PasswordDialog } from '../../shell/password-dialog.tsx';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Chip } from '../../ui/status.tsx';
import { say } from '../../ui/toast.tsx';
import { CurrentPassword } from './current-password.tsx';
import { Enrolment } from './enrolment.tsx';
import { Logins } from './logins.tsx';

interface Props {
  principal: AuthPrincipalDto;
  /** Loads the principal again. */
  onChange: () => Promise<void>;
}

export function Security({ principal, onChange }: Props) {
  const { hasPassword } = principal;
  const [setting, setSetting] = useState(false);
  const close = () => {
    setSetting(false);
    void onChange();
  };
  return (
    <div className="stack">
      <section className="card">
        <div className="card-head">
          <h2>{t('Password')}</h2>
          <Button size="small" icon="key" onClick={() => setSetting(true)}>
            {hasPassword ? t('Change password') : t('Set password')}
          </Button>
        </div>
        <div className="card-body">
          <p className="muted">
            {hasPassword
              ? t('A password is set.')
              : t('No password is set. Set one to sign in without a link or key, and to turn on MFA.')}
          </p>
        </div>
      </section>
      <SecondFactor principal={principal} onChange={onChange} />
      <Logins />
      {setting && <PasswordDialog onClose={close} />}
    </div>
  );
}

function SecondFactor({ principal: { mfaEnabled, hasPassword, recoveryCodesLeft }, onChange }: Props) {
  const [asking, setAsking] = useState<'enrol' | 'disable' | null>(null);
  const close = () => {
    setAsking(null);
    void onChange();
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Multi-factor authentication')}</h2>
        {mfaEnabled ? (
          <Button size="small" kind="danger" onClick={() => setAsking('disable')}>
            {t('Turn off')}
          </Button>
        ) : (
          <Button size="small" disabled={!hasPassword} onClick={() => setAsking('enrol')}>
            {t('Turn on')}
          </Button>
        )}
      </div>
      <div className="card-body stack tight">
        <span>
          {mfaEnabled ? (
            <Chip shape="tick" tone="good">
              {t('On')}
            </Chip>
          ) : (
            <Chip shape="hollow">{t('Off')}</Chip>
          )}
        </span>
        <p className="muted">
          {mfaEnabled
            ? plural(recoveryCodesLeft, '{n} recovery code left.', '{n} recovery codes left.')
            : t('When it is on, signing in with the password also needs a code from an authenticator app.')}
        </p>
        {!mfaEnabled && !hasPassword && <p className="muted">{t('Set a password first.')}</p>}
      </div>
      {asking === 'enrol' && <Enrolment onClose={close} />}
      {asking === 'disable' && <Disable onClose={close} />}
    </section>
  );
}

function Disable({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const disable = async () => {
    await client.auth.disableTotp({ body: { password, code: code.trim() } });
    say(t('MFA is off'));
  };
  return (
    <FormDialog
      title={t('Turn off MFA?')}
      action={t('Turn off')}
      ready={password !== '' && code.trim() !== ''}
      onSubmit={disable}
      onClose={onClose}
    >
      <CurrentPassword value={password} onChange={setPassword} />
      <TextField
        label={t('Code')}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        hint={t('From your authenticator app, or one of your recovery codes.')}
        required
      />
    </FormDialog>
  );
}
