// Sign in: by the one-time link that the server printed, with a key, or with a password.
import { type FormEvent, useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go, useLocation } from '../../base/router.ts';
import { toApiError } from '../../state/resource.ts';
import { credential, signInWithKey, signInWithLink, signInWithPassword } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Mark } from '../../ui/icon.tsx';
import { Tabs } from '../../ui/tabs.tsx';

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
        const { message, hint } = toApiError(error);
        onError(`${message} ${hint ?? ''}`);
      },
    );
  }, [token, onError]);
  return busy;
}

export function SignInPage() {
  const [mode, setMode] = useState<'key' | 'password'>('key');
  const [key, setKey] = useState('');
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(true);
  const [error, setError] = useState<string | null>(null);
  const [working, setWorking] = useState(false);
  const linking = useLink(setError);
  const { path } = useLocation();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWorking(true);
    setError(null);
    try {
      await (mode === 'key' ? signInWithKey(key.trim()) : signInWithPassword(login.trim(), password, remember));
      if (path === '/signin') go('/runs', {}, 'replace');
    } catch (cause) {
      const { message, hint } = toApiError(cause);
      setError(hint ? `${message} ${hint}` : message);
    } finally {
      setWorking(false);
    }
  };

  if (linking && !error)
    return (
      <main className="signin">
        <p role="status">{t('Signing in…')}</p>
      </main>
    );
  return (
    <main className="signin">
      <form className="signin-card" onSubmit={submit}>
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
        {mode === 'key' ? (
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
        ) : (
          <>
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
          </>
        )}
        {error && (
          <div className="banner" data-tone="bad" role="alert">
            {error}
          </div>
        )}
        <Button kind="primary" type="submit" disabled={working}>
          {working ? t('Signing in…') : t('Sign in')}
        </Button>
        {credential.get() && <a href="#/runs">{t('Go on as before')}</a>}
      </form>
    </main>
  );
}
