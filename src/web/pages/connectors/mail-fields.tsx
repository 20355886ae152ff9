// The fields of a mail connector: its two servers, and who signs in to them.
import { t } from '../../base/i18n.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type MailPlace, type Security, usualPorts } from './mail-draft.ts';

interface Props {
  place: MailPlace;
  password: string;
  onPlace: (change: Partial<MailPlace>) => void;
  onPassword: (password: string) => void;
}

export function MailFields({ place, password, onPlace, onPassword }: Props) {
  const { imapHost, smtpHost } = place;
  return (
    <>
      <ServerFields
        called="IMAP"
        host={imapHost}
        port={place.imapPort}
        security={place.imapSecurity}
        usual={usualPorts.imap}
        required={smtpHost.trim() === ''}
        onHost={(host) => onPlace({ imapHost: host })}
        onPort={(port) => onPlace({ imapPort: port })}
        onSecurity={(security) => onPlace({ imapSecurity: security })}
      />
      <ServerFields
        called="SMTP"
        host={smtpHost}
        port={place.smtpPort}
        security={place.smtpSecurity}
        usual={usualPorts.smtp}
        required={imapHost.trim() === ''}
        onHost={(host) => onPlace({ smtpHost: host })}
        onPort={(port) => onPlace({ smtpPort: port })}
        onSecurity={(security) => onPlace({ smtpSecurity: security })}
      />
      <p className="hint">{t('Mails are read by IMAP and sent by SMTP; one of the two is enough.')}</p>
      <div className="form-grid">
        <TextField
          label={t('User name')}
          value={place.username}
          onChange={(username) => onPlace({ username })}
          required
        />
        <TextField
          label={t('Password')}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={onPassword}
          hint={t('Kept sealed and never shown again.')}
          required
        />
      </div>
      <TextField
        label={t('Sender')}
        value={place.from}
        onChange={(from) => onPlace({ from })}
        hint={t('The address that mails are sent from; empty for the user name.')}
      />
    </>
  );
}

interface ServerProps {
  called: 'IMAP' | 'SMTP';
  host: string;
  port: string;
  security: Security;
  usual: Readonly<Record<Security, number>>;
  required: boolean;
  onHost: (host: string) => void;
  onPort: (port: string) => void;
  onSecurity: (security: Security) => void;
}

function ServerFields({ called, host, port, security, usual, required, ...on }: ServerProps) {
  return (
    <div className="form-grid">
      <TextField
        label={t('{name} server', { name: called })}
        value={host}
        onChange={on.onHost}
        placeholder={`${called.toLowerCase()}.example.com`}
        required={required}
      />
      <SelectField<Security>
        label={t('{name} security', { name: called })}
        value={security}
        onChange={on.onSecurity}
        options={[
          ['tls', 'TLS'],
          ['starttls', 'STARTTLS'],
          ['none', t('None')],
        ]}
      />
      <TextField
        label={t('{name} port', { name: called })}
        type="number"
        value={port}
        onChange={on.onPort}
        placeholder={String(usual[security])}
        required={false}
      />
    </div>
  );
}
