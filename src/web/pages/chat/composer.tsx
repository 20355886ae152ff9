// What to say next: text, attachments, and the model that answers.
import { type KeyboardEvent, useRef, useState } from 'react';
import { formatBytes, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import type { Conversation } from '../../state/chat.ts';
import { chat } from '../../state/operations.ts';
import { useResource } from '../../state/resource.ts';
import type { ChatAttachmentInput, ChatSessionDto } from '../../state/wire/chat.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { say, sayError } from '../../ui/toast.tsx';

/** Larger files do not go with a message. */
const maxBytes = 700_000;

interface Attached {
  input: ChatAttachmentInput;
  size: number;
}

async function attach(file: File): Promise<Attached> {
  const base = { name: file.name, mimeType: file.type || 'text/plain' };
  if (!file.type || /^text\/|json|xml|yaml|javascript|typescript/.test(file.type))
    return { size: file.size, input: { kind: 'Text', ...base, text: await file.text() } };
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return {
    size: file.size,
    input: { kind: file.type.startsWith('image/') ? 'Image' : 'File', ...base, base64: btoa(binary) },
  };
}

export function Composer({ conversation, session }: { conversation: Conversation; session: ChatSessionDto }) {
  const draftKey = `rivulet.draft.${session.id}`;
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey) ?? '');
  const [files, setFiles] = useState<Attached[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const streaming = conversation.reply !== null;
  const type = (value: string) => {
    setText(value);
    sessionStorage.setItem(draftKey, value);
  };
  const send = () => {
    const message = text.trim();
    if (!message || streaming) return;
    type('');
    setFiles([]);
    const attachments = files.map((file) => file.input);
    conversation.say({ message, ...(attachments.length > 0 ? { attachments } : {}) }).catch((error: unknown) => {
      type(message);
      sayError(error);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onFiles = async (list: FileList | null) => {
    for (const file of list ?? []) {
      if (file.size > maxBytes)
        say(
          t('{name} is too large', { name: file.name }),
          t('At most {size}.', { size: formatBytes(maxBytes) }),
          'warn',
        );
      else {
        const attached = await attach(file);
        setFiles((all) => [...all, attached]);
      }
    }
  };
  return (
    <div className="composer">
      <div className="composer-box">
        {files.length > 0 && (
          <div className="row wrap">
            {files.map((file) => (
              <span key={file.input.name} className="tag">
                {file.input.name} · {formatBytes(file.size)}{' '}
                <button
                  type="button"
                  className="link"
                  aria-label={t('Remove {name}', { name: file.input.name ?? '' })}
                  onClick={() => setFiles((all) => all.filter((one) => one !== file))}
                >
                  ×
                </button>
              </span>
            ))}
          </div>
        )}
        <textarea
          aria-label={t('Message')}
          placeholder={t('Say something…')}
          rows={1}
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="row">
          <input ref={picker} type="file" multiple hidden onChange={(event) => void onFiles(event.target.files)} />
          <IconButton icon="clip" label={t('Attach files')} onClick={() => picker.current?.click()} />
          <ModelChoice session={session} onDone={conversation.reload} />
          <span className="grow" />
          {streaming ? (
            <Button icon="stop" onClick={() => void conversation.stop().catch(sayError)}>
              {t('Stop')}
            </Button>
          ) : (
            <Button kind="primary" icon="send" disabled={!text.trim()} onClick={send}>
              {t('Send')}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

function ModelChoice({ session, onDone }: { session: ChatSessionDto; onDone: () => void }) {
  const list = useResource(may('AiRouterRead') ? 'chat models' : null, () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  const known = list.data?.items ?? [];
  if (known.length === 0) return <span className="faint small mono truncate">{session.modelId}</span>;
  const choose = (modelId: string) =>
    void chat.patch({ params: { id: session.id }, body: { modelId } }).then(onDone, sayError);
  return (
    <select
      className="input"
      style={{ width: 'auto', maxWidth: 260, border: 0, background: 'none' }}
      aria-label={t('Model')}
      value={session.modelId}
      onChange={(event) => choose(event.target.value)}
    >
      {!known.some((one) => one.modelId === session.modelId) && (
        <option value={session.modelId}>{session.modelId}</option>
      )}
      {known.map((one) => (
        <option key={one.id} value={one.modelId}>
          {one.displayName}
        </option>
      ))}
    </select>
  );
}
