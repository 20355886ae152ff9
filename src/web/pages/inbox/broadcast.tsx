// Sends one message to all identities of the tenant, or to those with a tag, and says whom it did not reach.
import { useState } from 'react';
import type { MessagePriority } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { namesOf, plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { priorities } from './marks.tsx';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

export function Broadcast({ onClose, onDone }: Props) {
  const { text, write, clear } = useDraft('message.broadcast');
  const [tag, setTag] = useState('');
  const [priority, setPriority] = useState<MessagePriority>('Normal');
  const send = async () => {
    const to = tag.trim() ? { tag: tag.trim() } : { everyone: true };
    const { recipientCount, skipped } = await client.messages.broadcast({
      body: { content: text.trim(), priority, ...to },
    });
    clear();
    const missed = skipped.map(({ identityName, reason }) => `${identityName}: ${reason}`).join('; ');
    say(plural(recipientCount, 'Sent to {n} identity', 'Sent to {n} identities'), missed || null);
    onDone();
  };
  return (
    <FormDialog
      title={t('Broadcast')}
      action={t('Send')}
      ready={text.trim() !== ''}
      onSubmit={send}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField name="content" label={t('Message')} value={text} onChange={write} rows={5} required />
      <div className="form-grid">
        <TextField
          name="tag"
          label={t('Only with the tag')}
          value={tag}
          onChange={setTag}
          hint={t('Empty sends to everybody.')}
        />
        <SelectField label={t('Priority')} value={priority} onChange={setPriority} options={namesOf(priorities)} />
      </div>
    </FormDialog>
  );
}
