// A form of the sign-in page: its fields, what went wrong, and the button.
import type { FormEvent, ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../ui/button.tsx';

export interface WayProps {
  error: string | null;
  busy: boolean;
  onSignIn: (attempt: () => Promise<unknown>) => void;
}

interface FormProps extends Omit<WayProps, 'onSignIn'> {
  onSubmit: () => void;
  /** What the button says; Sign in unless given. */
  label?: string;
  children: ReactNode;
}

export function Way({ error, busy, onSubmit, label, children }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {children}
      {error && (
        <div className="banner" data-tone="bad" role="alert">
          {error}
        </div>
      )}
      <Button kind="primary" type="submit" disabled={busy}>
        {label ?? (busy ? t('Signing in…') : t('Sign in'))}
      </Button>
    </form>
  );
}
