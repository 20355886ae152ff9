// Turns the second factor on: the password, the QR code with a first code, then the recovery codes.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable, copyText } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CurrentPassword } from './current-password.tsx';

interface Secret {
  secret: string;
  qrSvg: string;
}

export function Enrolment({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  if (secret) return <FirstCode secret={secret} onCodes={setCodes} onClose={onClose} />;
  return <Password onSecret={setSecret} onClose={onClose} />;
}

function Password({ onSecret, onClose }: { onSecret: (secret: Secret) => void; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const enrol = async () => onSecret(await client.auth.enrollTotp({ body: { password } }));
  return (
    <FormDialog
      title={t('Turn on MFA')}
      action={t('Continue')}
      ready={password !== ''}
      keepOpen
      onSubmit={enrol}
      onClose={onClose}
    >
      <CurrentPassword value={password} onChange={setPassword} />
    </FormDialog>
  );
}

interface FirstCodeProps {
  secret: Secret;
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

function FirstCode({ secret: { secret, qrSvg }, onCodes, onClose }: FirstCodeProps) {
  const [code, setCode] = useState('');
  const confirm = async () => onCodes((await client.auth.confirmTotp({ body: { code: code.trim() } })).recoveryCodes);
  return (
    <FormDialog
      title={t('Scan the QR code')}
      action={t('Turn on')}
      ready={code.trim() !== ''}
      keepOpen
      onSubmit={confirm}
      onClose={onClose}
    >
      <div className="enrol">
        <img
          className="qr"
          alt={t('QR code for the authenticator app')}
          src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(qrSvg)}`}
        />
        <div className="stack">
          <p>{t('Scan it with an authenticator app, or enter this secret:')}</p>
          <Copyable text={secret} />
          <TextField
            label={t('Code')}
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
            hint={t('The six digits that the app shows now.')}
            required
          />
        </div>
      </div>
    </FormDialog>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <Dialog
      title={t('Save your recovery codes')}
      onClose={onClose}
      foot={
        <>
          <Button icon="copy" onClick={() => copyText(text)}>
            {t('Copy')}
          </Button>
          <Button icon="down" onClick={() => void saveAs(new Response(`${text}\n`), 'rivulet-recovery-codes.txt')}>
            {t('Download')}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p>{t('MFA is on. Each code signs you in once when you do not have the app. They are shown only now.')}</p>
        <ul className="codes mono" aria-label={t('Recovery codes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
