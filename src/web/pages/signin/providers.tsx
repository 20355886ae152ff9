// Sign in with a provider: its buttons, and what came of it when the browser is back.
import { useEffect } from 'react';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation, useTakenOut } from '../../base/router.ts';
import { useResource } from '../../state/resource.ts';
import { signInProviders, signInWithCode } from '../../state/session.ts';
import type { WayProps } from './way.tsx';

type Answer = { code: string } | { error: string };

/** What a failed sign-in with a provider means, by the code that the server sent along. */
export function wordsOfRefusal(code: string): string {
  switch (code) {
    case 'REGISTRATION_CLOSED':
      return t('You have no account here. Ask an administrator for one with the address that you sign in with.');
    case 'ACCOUNT_DISABLED':
      return t('Your account is not active. Ask an administrator to activate it.');
    case 'CONFLICT':
      return t('An account has your e-mail address, but may not be yours. Sign in another way, and link the provider.');
    case 'MFA_REQUIRED':
      return t('Your account has a second factor. Sign in with the password, and link the provider in the account.');
    case 'DUPLICATE':
      return t('This login enters another account. Unlink it there first.');
    case 'FORBIDDEN':
      return t('The provider let nobody in. Try again, and agree there.');
    case 'GONE':
      return t('This sign-in took too long, or was begun in another browser. Try again.');
    default:
      return t('The sign-in with the provider did not succeed. Try again.');
  }
}

/** What the browser came back with. */
function answerIn(query: URLSearchParams): Answer | null {
  const [code, error] = [query.get('signInCode'), query.get('signInError')];
  if (code !== null) return { code };
  return error === null ? null : { error };
}

/** Codes that were used already in this tab; a code works once. */
const used = new Set<string>();

/** A button for each provider; who comes back from one is signed in at once. */
export function ByProvider({ busy, onSignIn }: Omit<WayProps, 'error'>) {
  const providers = useResource('sign-in providers', signInProviders).data ?? [];
  const { query } = useLocation();
  const answer = useTakenOut(answerIn(query), () => patchQuery({ signInCode: null, signInError: null }));
  const code = answer && 'code' in answer ? answer.code : null;
  useEffect(() => {
    if (code === null || used.has(code)) return;
    used.add(code);
    onSignIn(() => signInWithCode(code));
  }, [code, onSignIn]);
  const offered = providers.filter(({ allowSignIn }) => allowSignIn);
  if (offered.length === 0 && !answer) return null;
  return (
    <div className="stack" data-testid="providers">
      {answer && 'error' in answer && (
        <div className="banner" data-tone="bad" role="alert">
          {wordsOfRefusal(answer.error)}
        </div>
      )}
      {busy && code !== null && <p role="status">{t('Signing in…')}</p>}
      {offered.map(({ key, name, startUrl }) => (
        <a
          key={key}
          className="btn"
          href={`${startUrl}?${new URLSearchParams({ redirect: 'true', returnUrl: here() })}`}
        >
          {t('Sign in with {provider}', { provider: name })}
        </a>
      ))}
    </div>
  );
}

/** The page that was asked for, to go on there. */
const here = () => `/${window.location.hash || '#/signin'}`;
