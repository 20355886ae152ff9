// Files a support request, and gives its bundle of diagnostics to the reader.
import { useState } from 'react';
import type { SupportRequestDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

export function SupportDialog({ onClose }: { onClose: () => void }) {
  const { written, write, clear } = useDraftRecord('support', { subject: '', description: '' });
  const [made, setMade] = useState<SupportRequestDto | null>(null);
  const file = async () => {
    setMade(await client.support.create({ body: { ...written, includeDiagnostics: true } }));
    clear();
  };
  if (made) return <Filed request={made} onClose={onClose} />;
  return (
    <FormDialog
      title={t('Report a problem')}
      action={t('Send with diagnostics')}
      ready={written.subject.trim() !== '' && written.description.trim() !== ''}
      keepOpen
      onSubmit={file}
      onClose={onClose}
      onDiscard={clear}
    >
      <p className="muted">
        {t('A bundle is added: versions, settings without secrets, health and the newest log lines, redacted.')}
      </p>
      <TextField label={t('Subject')} value={written.subject} onChange={(subject) => write({ subject })} required />
      <TextField
        name="description"
        label={t('What happened')}
        value={written.description}
        onChange={(description) => write({ description })}
        rows={5}
        required
      />
    </FormDialog>
  );
}

function Filed({ request, onClose }: { request: SupportRequestDto; onClose: () => void }) {
  const { busy, act } = useAction();
  const { id, reference, status, forwardedVia } = request;
  const download = () =>
    act(async () => saveAs(await client.support.diagnostics({ params: { id } }), `${reference}-diagnostics.zip`));
  return (
    <Dialog
      title={t('{reference} is filed', { reference })}
      onClose={onClose}
      foot={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <div className="stack">
        <p>
          {status === 'Forwarded'
            ? forwardedVia === 'mail'
              ? t('It was sent by mail to those who help.')
              : t('It is in the inbox of the other administrators.')
            : t('It is kept here. Give the bundle to those who help you.')}
        </p>
        <div>
          <Button kind="primary" icon="down" disabled={busy} onClick={() => void download()}>
            {t('Download the diagnostics')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
