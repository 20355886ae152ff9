// Signs in to both servers of a mail connector and says what is wrong; a test mail is sent where an address is given.
import { useState } from 'react';
import type { EmailTestResultDto } from '../../../client/index.ts';
import { formatNumber, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Chip } from '../../ui/status.tsx';

export function MailTest({ connectorId, onClose }: { connectorId: number; onClose: () => void }) {
  const [sendTo, setSendTo] = useState('');
  const [result, setResult] = useState<EmailTestResultDto | null>(null);
  const test = async () => {
    setResult(null);
    const to = sendTo.trim();
    setResult(await client.email.test({ params: { connectorId }, body: to === '' ? {} : { sendTo: to } }));
  };
  return (
    <FormDialog title={t('Test the mail servers')} action={t('Test')} keepOpen onSubmit={test} onClose={onClose}>
      <TextField
        name="sendTo"
        label={t('Send a test mail to')}
        value={sendTo}
        onChange={setSendTo}
        hint={t('Empty only signs in.')}
        placeholder="you@example.com"
      />
      {result && (
        <div className="stack" role="status">
          <Server name={t('Reading (IMAP)')} isOk={result.imapOk} error={result.imapError} />
          <Server name={t('Sending (SMTP)')} isOk={result.smtpOk} error={result.smtpError} />
          <p className="small muted">
            {t('{folders} folders, {ms} ms', {
              folders: formatNumber(result.folderCount),
              ms: formatNumber(result.latencyMs),
            })}
          </p>
        </div>
      )}
    </FormDialog>
  );
}

function Server({ name, isOk, error }: { name: string; isOk: boolean; error: string | null }) {
  return (
    <div>
      <div className="row wrap">
        <strong>{name}</strong>
        <Chip shape={isOk ? 'tick' : 'cross'} tone={isOk ? 'good' : 'bad'}>
          {isOk ? t('Works') : t('Does not work')}
        </Chip>
      </div>
      {error && <p className="muted">{error}</p>}
    </div>
  );
}
