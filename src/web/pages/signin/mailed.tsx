// What a mailed link opens: an address is confirmed, a new password is set, or somebody who was invited joins.
import { useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { toApiError } from '../../state/resource.ts';
import { confirmEmail, resetPassword } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/use-action.ts';
import { PasswordField } from './fields.tsx';
import { Join } from './join.tsx';
import { JoinUnit } from './join-unit.tsx';
import { Way, type WayProps } from './way.tsx';

export type MailedLink = { kind: 'confirm' | 'reset' | 'invite'; token: string };

/** What begins the token of an invitation to an organisation unit. */
const unitPrefix = 'oui_';

export function Mailed({ link, ...ways }: WayProps & { link: MailedLink }) {
  if (link.kind === 'confirm') return <Confirm token={link.token} />;
  if (link.kind === 'reset') return <Reset token={link.token} />;
  return link.token.startsWith(unitPrefix) ? (
    <JoinUnit {...ways} token={link.token} />
  ) : (
    <Join {...ways} token={link.token} />
  );
}

/** Confirmations of this tab; a link works once. */
const confirmed = new Map<string, Promise<unknown>>();

function Confirm({ token }: { token: string }) {
  const [outcome, setOutcome] = useState<{ error: string | null } | null>(null);
  useEffect(() => {
    const attempt = confirmed.get(token) ?? confirmEmail(token);
    confirmed.set(token, attempt);
    attempt.then(
      () => setOutcome({ error: null }),
      (cause) => setOutcome({ error: toApiError(cause).message }),
    );
  }, [token]);
  if (!outcome) return <p role="status">{t('Confirming your address…')}</p>;
  return <Done error={outcome.error} text={t('Your e-mail address is confirmed.')} />;
}

function Reset({ token }: { token: string }) {
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const { busy, error, act } = useAction('shown');
  const submit = () => void act(() => resetPassword(token, password)).then(setDone);
  if (done) return <Done error={null} text={t('Your new password is set. All sessions were signed out.')} />;
  return (
    <Way error={error?.message ?? null} busy={busy} onSubmit={submit} label={t('Set password')}>
      <PasswordField label={t('New password')} value={password} onChange={setPassword} isNew />
    </Way>
  );
}

function Done({ error, text }: { error: string | null; text: string }) {
  return (
    <div className="stack">
      {error ? (
        <div className="banner" data-tone="bad" role="alert">
          {error}
        </div>
      ) : (
        <p role="status">{text}</p>
      )}
      <Button kind="primary" onClick={() => go('/', {}, 'replace')}>
        {t('Continue')}
      </Button>
    </div>
  );
}
