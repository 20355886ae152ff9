// One conversation of an import in full: what was said, what was flagged in it, and the title that it gets.
import { useState } from 'react';
import type { ImportConversationDetailDto, ImportMessageDto } from '../../../client/index.ts';
import { formatDate, formatNumber, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { type Deciding, titleOf } from './entries.tsx';
import { Flags } from './marks.tsx';

interface Props extends Deciding {
  id: number;
  onClose: () => void;
}

/** Messages that are drawn at first, and with each further step. */
const step = 200;

export function ConversationDialog(props: Props) {
  const { importId, id, canDecide, onClose } = props;
  const one = useResource(`imported ${importId} ${id}`, () =>
    client.imports.conversation({ params: { id: importId, conversationId: String(id) } }),
  );
  if (one.data && canDecide) return <Decided {...props} conversation={one.data} />;
  return (
    <Dialog title={one.data ? titleOf(one.data) : t('Conversation')} wide onClose={onClose}>
      <Loaded resource={one}>{({ messages }) => <Messages messages={messages} />}</Loaded>
    </Dialog>
  );
}

function Decided({
  importId,
  id,
  onDone,
  onClose,
  conversation,
}: Props & { conversation: ImportConversationDetailDto }) {
  const { written, write, clear } = useDraftRecord(`import.${importId}.${id}`, {
    title: conversation.title ?? '',
    approved: conversation.approved,
  });
  const save = async () => {
    const title = written.title.trim();
    const decision = { id, approved: written.approved, ...(title && { title }) };
    await client.imports.decide({ params: { id: importId }, body: { conversations: [decision] } });
    clear();
    onDone();
  };
  return (
    <FormDialog title={t('Conversation')} action={t('Save')} wide onSubmit={save} onClose={onClose} onDiscard={clear}>
      <TextField label={t('Title')} value={written.title} onChange={(title) => write({ title })} />
      <CheckField label={t('Include it')} checked={written.approved} onChange={(approved) => write({ approved })} />
      <Messages messages={conversation.messages} />
    </FormDialog>
  );
}

function Messages({ messages }: { messages: readonly ImportMessageDto[] }) {
  const [count, setCount] = useState(step);
  return (
    <div className="stack">
      <ol className="import-messages" aria-label={t('Messages')}>
        {messages.slice(0, count).map(({ id, role, content, scrubFlags, sentAtUtc }) => (
          <li key={id}>
            <div className="row wrap small muted">
              <strong>{words(role)}</strong>
              {sentAtUtc && <span>{formatDate(sentAtUtc)}</span>}
              <Flags flags={scrubFlags} />
            </div>
            <p>{content}</p>
          </li>
        ))}
      </ol>
      {messages.length > count && (
        <div>
          <Button onClick={() => setCount(count + step)}>
            {t('Show more of {n}', { n: formatNumber(messages.length) })}
          </Button>
        </div>
      )}
    </div>
  );
}
