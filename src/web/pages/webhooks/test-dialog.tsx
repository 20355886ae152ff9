// Sends a test to a webhook: an event of any type, with a payload of one's own or the webhook itself.
import type { WebhookDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

interface Props {
  webhook: WebhookDto;
  onClose: () => void;
  onDone: () => void;
}

function payloadOf(text: string): { payload?: Record<string, unknown> } {
  if (text.trim() === '') return {};
  const payload: unknown = JSON.parse(text);
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    throw new Error(t('The payload must be a JSON object.'));
  return { payload: payload as Record<string, unknown> };
}

export function TestDialog({ webhook, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`webhook.test.${webhook.id}`, {
    type: 'webhook.test',
    payload: '',
  });
  const send = async () => {
    const body = { eventType: written.type.trim(), ...payloadOf(written.payload) };
    await client.webhooks.send({ params: { id: webhook.id }, body });
    clear();
    say(t('The test is on its way'));
    onDone();
  };
  return (
    <FormDialog
      title={t('Send a test')}
      action={t('Send')}
      ready={written.type.trim() !== ''}
      onSubmit={send}
      onClose={onClose}
      onDiscard={clear}
    >
      <p className="muted">{t('It is signed and tried again like any event, and stands among the deliveries.')}</p>
      <TextField
        mono
        name="type"
        label={t('Type of the event')}
        value={written.type}
        onChange={(type) => write({ type })}
      />
      <TextField
        mono
        label={t('Payload, as JSON')}
        value={written.payload}
        onChange={(payload) => write({ payload })}
        rows={4}
        hint={t('Empty: the webhook as it stands.')}
      />
    </FormDialog>
  );
}
