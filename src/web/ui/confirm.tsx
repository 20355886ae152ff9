// Asks before something that cannot be undone: it names the thing, and says what will be reached.
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useAction } from './use-action.ts';

interface ConfirmProps {
  /** A question that names the thing. */
  title: string;
  /** What the button says that does it. */
  action: string;
  danger?: boolean;
  /** Rejects when it could not be done; the question stays then. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** What it reaches. */
  children: ReactNode;
}

export function Confirm({ title, action, danger = true, onConfirm, onClose, children }: ConfirmProps) {
  const { busy, act } = useAction();
  const confirm = () => void act(onConfirm).then((done) => done && onClose());
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button autoFocus onClick={onClose}>
            {t('Keep')}
          </Button>
          <Button kind={danger ? 'danger' : 'primary'} disabled={busy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
