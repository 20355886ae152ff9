// Writes to one identity or several; what is written is kept until it is sent or discarded.
import { useState } from 'react';
import type { MessagePriority } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { priorities } from './marks.tsx';

interface Props {
  identityId: number;
  onClose: () => void;
  onDone: () => void;
}

export function NewMessage({ identityId, onClose, onDone }: Props) {
  const { text, write, clear } = useDraft('message.new');
  const [recipients, setRecipients] = useState<ReadonlySet<number>>(new Set());
  const [threadTitle, setTitle] = useState('');
  const [priority, setPriority] = useState<MessagePriority>('Normal');
  const [requiresReply, setRequires] = useState(false);
  const send = async () => {
    const goOn = goFromHere();
    const title = threadTitle.trim();
    const sent = await client.messages.send({
      body: {
        recipientIds: [...recipients],
        content: text.trim(),
        priority,
        requiresReply,
        ...(title ? { threadTitle: title } : {}),
      },
    });
    clear();
    say(t('Sent'));
    onDone();
    goOn(`/inbox/${sent.threadId}`);
  };
  return (
    <FormDialog
      title={t('New message')}
      action={t('Send')}
      ready={recipients.size > 0 && text.trim() !== ''}
      onSubmit={send}
      onClose={onClose}
      onDiscard={clear}
    >
      <Recipients identityId={identityId} chosen={recipients} onChange={setRecipients} />
      <TextField name="threadTitle" label={t('Subject')} value={threadTitle} onChange={setTitle} />
      <TextField name="content" label={t('Message')} value={text} onChange={write} rows={5} required />
      <div className="form-grid">
        <SelectField label={t('Priority')} value={priority} onChange={setPriority} options={namesOf(priorities)} />
      </div>
      <CheckField label={t('Ask for a reply')} checked={requiresReply} onChange={setRequires} />
    </FormDialog>
  );
}

interface RecipientsProps {
  identityId: number;
  chosen: ReadonlySet<number>;
  onChange: (chosen: ReadonlySet<number>) => void;
}

function Recipients({ identityId, chosen, onChange }: RecipientsProps) {
  const [q, setQ] = useState('');
  const list = useResource('message recipients', () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name', isActive: true } }),
  );
  const toggle = (id: number, has: boolean) =>
    onChange(new Set(has ? [...chosen, id] : [...chosen].filter((one) => one !== id)));
  return (
    <>
      <TextField label={t('Search recipients')} type="search" value={q} onChange={setQ} />
      <fieldset className="choice-list recipients">
        <legend>{t('Recipients')}</legend>
        <Loaded resource={list} rows={3}>
          {({ items }) =>
            items
              .filter(({ id, name, displayName }) => {
                const hay = `${name} ${displayName}`.toLowerCase();
                return id !== identityId && (chosen.has(id) || hay.includes(q.trim().toLowerCase()));
              })
              .map((one) => (
                <CheckField
                  key={one.id}
                  label={one.displayName || one.name}
                  checked={chosen.has(one.id)}
                  onChange={(has) => toggle(one.id, has)}
                />
              ))
          }
        </Loaded>
      </fieldset>
    </>
  );
}
