// A form in a dialog: it closes when what it asks for is done, and says why when it is not.
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { t } from '../base/i18n.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { sayError } from './toast.tsx';

interface FormDialogProps {
  title: string;
  /** What its button says. */
  action: string;
  /** False while something that it needs is missing. */
  ready?: boolean;
  wide?: boolean;
  /** Rejects when it could not be done; the dialog stays then, with what was written. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog({
  title,
  action,
  ready = true,
  wide = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const [busy, setBusy] = useState(false);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    onSubmit().then(onClose, (error: unknown) => {
      sayError(error);
      setBusy(false);
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (ready && !busy) event.currentTarget.requestSubmit();
  };
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <button type="submit" form={id} className="btn" data-kind="primary" disabled={busy || !ready}>
            {action}
          </button>
        </>
      }
    >
      <form id={id} className="stack" onSubmit={submit} onKeyDown={onKeyDown}>
        {children}
      </form>
    </Dialog>
  );
}
