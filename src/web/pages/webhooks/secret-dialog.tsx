// The signing secret of a webhook: shown once when it is made, and rotated with a time in which both sign.
import type { WebhookDto, WebhookWriteResult } from '../../../client/index.ts';
import { formatDate, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable, copyText } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

export function SecretDialog({ result, onClose }: { result: WebhookWriteResult; onClose: () => void }) {
  const { rawSecret, previousSecretExpiresAtUtc } = result;
  if (rawSecret === null) return null;
  return (
    <Dialog
      firm
      title={t('The signing secret')}
      onClose={onClose}
      foot={
        <>
          <Button icon="copy" onClick={() => copyText(rawSecret)}>
            {t('Copy')}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p>{t('Shown once. Copy it now: the receiver checks with it that what arrives is from here.')}</p>
        <Copyable text={rawSecret} />
        {previousSecretExpiresAtUtc && (
          <p className="muted">
            {t('The one before signs, too, until {when}.', { when: formatDate(previousSecretExpiresAtUtc) })}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface RotateProps {
  webhook: WebhookDto;
  onClose: () => void;
  onDone: (result: WebhookWriteResult) => void;
}

export function RotateDialog({ webhook, onClose, onDone }: RotateProps) {
  const { written, write, clear } = useDraftRecord(`webhook.rotate.${webhook.id}`, { hours: '24' });
  const rotate = async () => {
    const body = { rotateSecret: true, overlapHours: Number(written.hours) };
    const result = await client.webhooks.patch({ params: { id: webhook.id }, body });
    clear();
    onDone(result);
  };
  return (
    <FormDialog
      title={t('Rotate the secret')}
      action={t('Rotate')}
      ready={written.hours.trim() !== ''}
      onSubmit={rotate}
      onClose={onClose}
      onDiscard={clear}
    >
      <p className="muted">
        {t('A new secret is made and shown once. The one in use begins with {prefix}.', {
          prefix: webhook.secretPrefix,
        })}
      </p>
      <TextField
        name="overlapHours"
        label={t('Hours in which both sign')}
        type="number"
        value={written.hours}
        onChange={(hours) => write({ hours })}
        hint={t('Up to 720. With 0 the new one signs alone at once: for a secret that others know.')}
      />
    </FormDialog>
  );
}
