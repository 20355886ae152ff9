// Writes a mail as plain text, or answers one; what was written stays until it is sent.
import { useState } from 'react';
import type { EmailMessageDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { newId } from '../../base/platform.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

interface Props {
  connectorId: number;
  answered: EmailMessageDto | null;
  onClose: () => void;
  onDone: () => void;
}

const split = (text: string) => text.split(/[,;\s]+/).filter((one) => one !== '');

export function WriteMail({ connectorId, answered, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(
    `mail.${connectorId}.${answered?.messageId ?? answered?.uid ?? 'new'}`,
    beginningOf(answered),
  );
  // A repeat of the same mail is the same request.
  const [idempotencyKey] = useState(newId);
  const { to, cc, subject, text } = written;
  const send = async () => {
    const odd = [...split(to), ...split(cc)].find((one) => !/^[^@]+@[^@]+$/.test(one));
    if (odd !== undefined) throw new Error(t('“{text}” is no address', { text: odd }));
    const sent = await client.email.send({
      params: { connectorId },
      body: { to: split(to), cc: split(cc), subject: subject.trim(), text, inReplyTo: answered?.messageId ?? null },
      idempotencyKey,
    });
    clear();
    say(t('Sent to {people}', { people: sent.to.join(', ') }));
    onDone();
  };
  return (
    <FormDialog
      wide
      title={answered ? t('Reply') : t('New mail')}
      action={t('Send')}
      ready={split(to).length > 0 && subject.trim() !== '' && text.trim() !== ''}
      onSubmit={send}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        label={t('To')}
        value={to}
        onChange={(value) => write({ to: value })}
        hint={t('Addresses, with commas between them.')}
        required
      />
      <TextField label={t('Cc')} value={cc} onChange={(value) => write({ cc: value })} />
      <TextField label={t('Subject')} value={subject} onChange={(value) => write({ subject: value })} required />
      <TextField label={t('Text')} value={text} onChange={(value) => write({ text: value })} rows={10} required />
    </FormDialog>
  );
}

function beginningOf(answered: EmailMessageDto | null) {
  if (!answered) return { to: '', cc: '', subject: '', text: '' };
  const { subject, fromAddress, replyTo, textBody } = answered;
  const quoted = (textBody ?? '').slice(0, 5000).replace(/^/gm, '> ');
  return {
    to: replyTo[0] ?? fromAddress,
    cc: '',
    subject: /^re:/i.test(subject ?? '') ? (subject ?? '') : `Re: ${subject ?? ''}`,
    text: `\n\n${quoted}`,
  };
}
