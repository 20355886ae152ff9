// A form in a dialog: it closes when what it asks for is done, says why when it is not, and asks before it discards.
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { t, words } from '../base/i18n.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { inWordsOf, type LabelOf } from './refusal.ts';
import { useAction } from './use-action.ts';

interface FormDialogProps {
  title: string;
  /** What its button says. */
  action: string;
  /** False while something that it needs is missing. */
  ready?: boolean;
  wide?: boolean;
  /** The dialog stays open after a save; its owner closes it. */
  keepOpen?: boolean;
  /** Rejects when it could not be done; the dialog stays then, with what was written. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  /** The dialog opens with text that a person wrote, and asks before discarding it. */
  startsWritten?: boolean;
  /** What was written is thrown away on purpose. */
  onDiscard?: () => void;
  children: ReactNode;
}

/** The label of the control with a field's name in the interface, or that begins with it; else the name, in words. */
const labelIn =
  (form: HTMLFormElement): LabelOf =>
  (name) => {
    const found = form.elements.namedItem(name);
    const control = found instanceof RadioNodeList ? found[0] : found;
    const [label] = (control as Partial<HTMLInputElement> | null | undefined)?.labels ?? [];
    if (label?.textContent) return label.textContent;
    const named = words(name.replace(/(Id|Json|(At)?Utc)$/, ''));
    const all = [...form.querySelectorAll('label')].map(({ textContent }) => textContent ?? '');
    return all.find((one) => one.startsWith(`${named},`)) ?? named;
  };

export function FormDialog(props: FormDialogProps) {
  const { title, action, ready = true, wide = false, keepOpen = false, onSubmit, onClose, onDiscard, children } = props;
  const { busy, act, forget } = useAction();
  const [written, setWritten] = useState(props.startsWritten ?? false);
  const [leaving, setLeaving] = useState(false);
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const labelOf = labelIn(event.currentTarget);
    const send = () => onSubmit().catch((error) => Promise.reject(inWordsOf(labelOf, error)));
    void act(send).then((done) => done && !keepOpen && onClose());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (ready && !busy) event.currentTarget.requestSubmit();
  };
  // Neither a key nor a stray click loses what was written.
  const close = () => {
    forget();
    onClose();
  };
  const leave = () => (written ? setLeaving(!leaving) : close());
  const discard = () => {
    onDiscard?.();
    close();
  };
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={leave}
      foot={
        leaving ? (
          <>
            <span className="grow" role="alert">
              {t('Discard what you wrote?')}
            </span>
            <Button kind="danger" onClick={discard}>
              {t('Discard')}
            </Button>
            <Button kind="primary" onClick={() => setLeaving(false)}>
              {t('Keep writing')}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={leave}>{t('Close')}</Button>
            <button type="submit" form={id} className="btn" data-kind="primary" disabled={busy || !ready}>
              {action}
            </button>
          </>
        )
      }
    >
      <form id={id} className="stack" onSubmit={submit} onKeyDown={onKeyDown} onInput={() => setWritten(true)}>
        {children}
      </form>
    </Dialog>
  );
}
