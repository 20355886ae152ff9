// Sign in: by the one-time link that the server printed, with a key, or with a password.
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go, useLocation } from '../../base/router.ts';
import { toApiError } from '../../state/resource.ts';
import { credential, signInWithKey, signInWithLink, signInWithPassword } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Mark } from '../../ui/icon.tsx';
import { Tabs } from '../../ui/tabs.tsx';

function wordsOf(error: unknown): string {
  const { message, hint } = toApiError(error);
  return hint ? `${message} ${hint}` : message;
}

let usedLink: string | null = null;

/** The token of `#/signin?token=…`, taken out of the address at once so that it is not kept in the history. */
function useLink(onError: (message: string) => void): boolean {
  const { path, query } = useLocation();
  const token = path === '/signin' ? (query.get('token') ?? query.get('t') ?? query.get('code')) : null;
  const [busy, setBusy] = useState(token !== null);
  useEffect(() => {
    if (token === null || usedLink === token) return;
    usedLink = token;
    window.history.replaceState(null, '', '#/signin');
    const work = token.startsWith('rvt_') ? signInWithKey(token) : signInWithLink(token);
    work.then(
      () => go('/runs', {}, 'replace'),
      (error: unknown) => {
        setBusy(false);
        onError(wordsOf(error));
      },
    );
  }, [token, onError]);
  return busy;
}

export function SignInPage() {
  const [mode, setMode] = useState<'key' | 'password'>('key');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const linking = useLink(setError);
  const { path } = useLocation();
  const signIn = async (attempt: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await attempt();
      if (path === '/signin') go('/runs', {}, 'replace');
    } catch (cause) {
      setError(wordsOf(cause));
    } finally {
      setBusy(false);
    }
  };
  if (linking && !error)
    return (
      <main className="signin">
        <p role="status">{t('Signing in…')}</p>
      </main>
    );
  const form = { error, busy, onSignIn: (attempt: () => Promise<unknown>) => void signIn(attempt) };
  return (
    <main className="signin">
      <div className="signin-card">
        <div className="row">
          <Mark />
          <div>
            <h1>Rivulet</h1>
            <span className="muted">{t('Watch your agents work.')}</span>
          </div>
        </div>
        <Tabs
          label={t('How to sign in')}
          active={mode}
          onChange={setMode}
          items={[
            { key: 'key', label: t('Key') },
            { key: 'password', label: t('Password') },
          ]}
        />
        {mode === 'key' ? <ByKey {...form} /> : <ByPassword {...form} />}
        {credential.get() && <a href="#/runs">{t('Go on as before')}</a>}
      </div>
    </main>
  );
}

interface WayProps {
  error: string | null;
  busy: boolean;
  onSignIn: (attempt: () => Promise<unknown>) => void;
}

function ByKey({ onSignIn, ...rest }: WayProps) {
  const [key, setKey] = useState('');
  return (
    <Way {...rest} onSubmit={() => onSignIn(() => signInWithKey(key.trim()))}>
      <TextField
        label={t('Key')}
        type="password"
        value={key}
        onChange={setKey}
        placeholder="rvt_…"
        mono
        required
        autoComplete="current-password"
        hint={t('The server printed one, and a one-time link, when it first started.')}
      />
    </Way>
  );
}

function ByPassword({ onSignIn, ...rest }: WayProps) {
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(true);
  return (
    <Way {...rest} onSubmit={() => onSignIn(() => signInWithPassword(login.trim(), password, remember))}>
      <TextField label={t('Name')} value={login} onChange={setLogin} required autoComplete="username" />
      <TextField
        label={t('Password')}
        type="password"
        value={password}
        onChange={setPassword}
        required
        autoComplete="current-password"
      />
      <CheckField label={t('Stay signed in here')} checked={remember} onChange={setRemember} />
    </Way>
  );
}

interface FormProps extends Omit<WayProps, 'onSignIn'> {
  onSubmit: () => void;
  children: ReactNode;
}

function Way({ error, busy, onSubmit, children }: FormProps) {
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
        {busy ? t('Signing in…') : t('Sign in')}
      </Button>
    </form>
  );
}
