// The composer: text, attachments and the answering model; Enter sends, and a streaming reply can be stopped.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useDraft } from '../../base/draft.ts';
import { formatBytes, t } from '../../base/i18n.ts';
import type { ChatInput } from '../../state/chat.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useGrowing } from '../../ui/use-growing.ts';
import { useTypedPrompt } from '../prompts/typed-prompt.tsx';
import { type Attached, attach, maxAttachmentBytes } from './attachments.ts';

interface ComposerProps {
  /** What is written is kept under this name until it is sent. */
  draftKey: string;
  /** Rejects when the message was not taken; it is given back then. */
  onSend: (input: ChatInput) => Promise<void>;
  /** Set while a reply streams. */
  onStop?: (() => void) | undefined;
  /** Text to begin with, such as that of a message which is said in another way. */
  initial?: string;
  autoFocus?: boolean;
  children?: ReactNode;
}

function useAttachments() {
  const [files, setFiles] = useState<Attached[]>([]);
  const take = async (list: Iterable<File>) => {
    for (const file of list) {
      if (file.size > maxAttachmentBytes)
        say(
          t('{name} is too large', { name: file.name }),
          t('At most {size}.', { size: formatBytes(maxAttachmentBytes) }),
          'warn',
        );
      else {
        const attached = await attach(file);
        setFiles((all) => [...all, attached]);
      }
    }
  };
  return { files, setFiles, take: (list: Iterable<File>) => void take(list).catch(sayError) };
}

/** The message that is being written: its text, its files, and how it is sent, once. */
function useMessage({ draftKey, initial = '', onSend, onStop }: ComposerProps) {
  const { text, write, clear } = useDraft(`chat.${draftKey}`, initial);
  const { files, setFiles, take } = useAttachments();
  const send = () => {
    const message = text.trim();
    if (!message || onStop) return;
    const kept = files;
    clear();
    setFiles([]);
    const attachments = kept.map((file) => file.input);
    onSend({ message, ...(attachments.length > 0 ? { attachments } : {}) }).catch((error: unknown) => {
      write(message);
      setFiles(kept);
      sayError(error);
    });
  };
  const drop = (file: Attached) => setFiles((all) => all.filter((one) => one !== file));
  return { text, write, files, take, drop, send };
}

export function Composer(props: ComposerProps) {
  const { onStop, autoFocus = false, children } = props;
  const { text, write, files, take, drop, send } = useMessage(props);
  const picker = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useGrowing(box, text);
  useEffect(() => {
    if (autoFocus) box.current?.focus();
  }, [autoFocus]);
  const [caret, setCaret] = useState(0);
  const put = (next: string, to: number) => {
    write(next);
    setCaret(to);
    // When it stands there, and the form that asked has given the focus back.
    setTimeout(() => {
      box.current?.focus();
      box.current?.setSelectionRange(to, to);
    });
  };
  const prompt = useTypedPrompt({ text, caret, put });
  const onKeyDown = (event: KeyboardEvent) => {
    if (prompt.onKey(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="composer">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files may also be dropped; the button does the same */}
      <div
        className="composer-box"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          take(event.dataTransfer.files);
        }}
      >
        {files.length > 0 && <Attachments files={files} onRemove={drop} />}
        {prompt.list}
        <textarea
          {...prompt.aria}
          ref={box}
          aria-label={t('Message')}
          placeholder={t('Write a message, or / for a prompt…')}
          rows={1}
          value={text}
          onChange={({ target }) => {
            write(target.value);
            setCaret(target.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={(event) => event.clipboardData.files.length > 0 && take(event.clipboardData.files)}
        />
        <div className="row">
          <input ref={picker} type="file" multiple hidden onChange={(event) => take(event.target.files ?? [])} />
          <IconButton icon="clip" label={t('Attach files')} onClick={() => picker.current?.click()} />
          <div className="composer-choices">{children}</div>
          {onStop ? (
            <Button icon="stop" onClick={onStop}>
              {t('Stop')}
            </Button>
          ) : (
            <Button kind="primary" icon="send" disabled={!text.trim()} onClick={send}>
              {t('Send')}
            </Button>
          )}
        </div>
      </div>
      {prompt.form}
    </div>
  );
}

function Attachments({ files, onRemove }: { files: Attached[]; onRemove: (file: Attached) => void }) {
  return (
    <div className="row wrap">
      {files.map((file) => (
        <span key={file.input.name} className="tag">
          {file.input.name} · {formatBytes(file.size)}{' '}
          <button
            type="button"
            className="link"
            aria-label={t('Remove {name}', { name: file.input.name ?? '' })}
            onClick={() => onRemove(file)}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  );
}
