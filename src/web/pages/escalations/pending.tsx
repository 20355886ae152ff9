// Between a choice and its sending: what is grave is asked about once more, and each decision can be taken back.
import { useNow } from '../../base/clock.ts';
import { t } from '../../base/i18n.ts';
import { type Pending, send, takeBack } from '../../state/decisions.ts';
import { Button } from '../../ui/button.tsx';

interface AskProps {
  label: string;
  critical: boolean;
  onConfirm: () => void;
  onBack: () => void;
}

export function AskOnce({ label, critical, onConfirm, onBack }: AskProps) {
  return (
    <div className="decision-bar" data-tone="bad" role="alert">
      <span className="grow">
        {critical
          ? t('This is critical. Decide “{label}”?', { label })
          : t('This cannot be undone. Decide “{label}”?', { label })}
      </span>
      <Focused onClick={onBack}>{t('Back')}</Focused>
      <Button kind="danger" onClick={onConfirm}>
        {t('Confirm the decision')}
      </Button>
    </div>
  );
}

export function OnItsWay({ id, pending: { label, sentAt } }: { id: number; pending: Pending }) {
  const now = useNow();
  const seconds = Math.max(0, Math.ceil((sentAt - now) / 1000));
  return (
    <div className="decision-bar" data-tone="accent">
      <span className="grow" role="status">
        {t('Decided: {label}', { label })}{' '}
        <span className="muted num" aria-hidden="true">
          {t('Sending in {n} s', { n: seconds })}
        </span>
      </span>
      <Focused onClick={() => takeBack(id)}>{t('Undo')}</Focused>
      <Button kind="primary" onClick={() => void send(id)}>
        {t('Send now')}
      </Button>
    </div>
  );
}

const focus = (element: HTMLElement | null) => element?.focus({ preventScroll: true });

/** The button that was pressed is gone: the way back has the focus now. */
function Focused({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" className="btn" ref={focus} onClick={onClick}>
      {children}
    </button>
  );
}
