// Sign in: by a one-time link, with a key, or with a password; also when a session has ended while one was at work.
import { useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go, useLocation, useTakenOut } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { toApiError } from '../../state/resource.ts';
import { credential, ended, signInWithKey, signInWithLink } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Mark } from '../../ui/icon.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ByPassword } from './by-password.tsx';
import { Mailed, type MailedLink } from './mailed.tsx';
import { ByProvider } from './providers.tsx';
import { StreamArt } from './stream-art.tsx';
import { Way, type WayProps } from './way.tsx';

/** Prints a new sign-in link, whether the server is running or not. */
const linkCommand = 'npm run admin:link';

/** What failed, and what the reader can do: nobody can call an operation before being signed in. */
function wordsOf(error: unknown): string {
  const { message, hint, status } = toApiError(error);
  const advice =
    status === 401
      ? t(
          'Without a key or password that works, get a new sign-in link: run {command} where the server is installed.',
          {
            command: linkCommand,
          },
        )
      : hint;
  return advice ? `${message} ${advice}` : message;
}

type Link = { kind: 'sign-in'; token: string } | MailedLink;

function linkIn(query: URLSearchParams): Link | null {
  for (const kind of ['confirm', 'reset', 'invite'] as const) {
    const token = query.get(kind);
    if (token) return { kind, token };
  }
  const token = query.get('token') ?? query.get('t') ?? query.get('code');
  return token === null ? null : { kind: 'sign-in', token };
}

/** The link that the page was opened with, `#/signin?token=…`. */
function useLink(): Link | null {
  const { path, query } = useLocation();
  return useTakenOut(path === '/signin' ? linkIn(query) : null, () => go('/signin', {}, 'replace'));
}

export function SignInPage() {
  const { busy, error, act } = useAction('shown');
  const over = useStore(ended);
  const link = useLink();
  const { path } = useLocation();
  const signIn = async (attempt: () => Promise<unknown>) => {
    await attempt();
    if (path === '/signin') go('/', {}, 'replace');
  };
  const ways: WayProps = {
    error: error && wordsOf(error),
    busy,
    onSignIn: (attempt) => void act(() => signIn(attempt)),
  };
  return (
    <main className="signin">
      <div className="signin-art">
        <StreamArt />
        <p>{t('Watch your agents work.')}</p>
      </div>
      <div className="signin-card">
        <div className="row">
          <Mark />
          <h1>Rivulet</h1>
        </div>
        {over && (
          <div className="banner" data-tone="warn" role="alert">
            {t('Your session has ended. Sign in to go on where you were; what you wrote is kept.')}
            <span className="muted small">{over.message}</span>
          </div>
        )}
        <Entrance {...ways} link={link} />
      </div>
    </main>
  );
}

function Entrance({ link, ...ways }: WayProps & { link: Link | null }) {
  if (link && link.kind !== 'sign-in') return <Mailed {...ways} link={link} />;
  return link && !ways.error ? <ByLink {...ways} token={link.token} /> : <Ways {...ways} />;
}

function Ways(props: WayProps) {
  const [mode, setMode] = useState<'key' | 'password'>('key');
  return (
    <>
      <ByProvider {...props} />
      <Tabs
        label={t('How to sign in')}
        active={mode}
        onChange={setMode}
        items={[
          { key: 'key', label: t('Key') },
          { key: 'password', label: t('Password') },
        ]}
      />
      {mode === 'key' ? <ByKey {...props} /> : <ByPassword {...props} />}
      {credential.get() && !ended.get() && <a href="#/">{t('Keep the current session')}</a>}
    </>
  );
}

/** Links that were used already in this tab; a link works once. */
const used = new Set<string>();

/** Signs in at once where nobody is signed in; else asks which session shall hold. */
function ByLink({ token, busy, onSignIn }: WayProps & { token: string }) {
  const [isFree] = useState(() => credential.get() === null || ended.get() !== null);
  const take = () => {
    if (used.has(token)) return;
    used.add(token);
    onSignIn(() => (token.startsWith('rvt_') ? signInWithKey(token) : signInWithLink(token)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the link that the page was opened with
  useEffect(() => {
    if (isFree) take();
  }, [isFree]);
  if (isFree || busy) return <p role="status">{t('Signing in…')}</p>;
  return (
    <div className="stack">
      <p>{t('You are signed in here already. This link works once; using it replaces the session of this browser.')}</p>
      <Button kind="primary" autoFocus onClick={() => go('/', {}, 'replace')}>
        {t('Stay signed in')}
      </Button>
      <Button onClick={take}>{t('Use the link')}</Button>
    </div>
  );
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
        hint={t('The server printed one, and a sign-in link, at its first start. For a new link run {command} there.', {
          command: linkCommand,
        })}
      />
    </Way>
  );
}
