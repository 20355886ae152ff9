// A browser comes back from the other side of a sign-in: it is ended once, and the connector shown.
import { useEffect, useRef } from 'react';
import { t } from '../../base/i18n.ts';
import { go, goFromHere, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/use-action.ts';

export function ConnectorSignInPage() {
  const { query } = useLocation();
  const { error, act } = useAction('shown');
  const given = query.toString();
  // Somebody who opened the page by hand comes back from nowhere.
  const isBack = query.get('state') !== null;
  const sent = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer of the other side.
  useEffect(() => {
    if (!isBack || sent.current === given) return;
    sent.current = given;
    const { state = '', ...back } = Object.fromEntries(new URLSearchParams(given));
    const goOn = goFromHere();
    void act(async () => {
      const { id } = await client.connectors.endSignIn({ body: { state, ...back } });
      goOn(`/connectors/${id}`, {}, 'replace');
    });
  }, [given]);
  return (
    <div className="page narrow">
      <div className="stack">
        <h1>{headingOf(isBack, error !== null)}</h1>
        {!isBack ? (
          <p>{t('Who signs in at another server comes back to this page. Begin on the page of the connector.')}</p>
        ) : error ? (
          <div className="banner" data-tone="bad" role="alert">
            {error.message} {t('Begin again on the page of the connector.')}
          </div>
        ) : (
          <p role="status">{t('The other side is asked for its tokens.')}</p>
        )}
        <div>
          <Button onClick={() => go('/connectors')}>{t('Go to the connectors')}</Button>
        </div>
      </div>
    </div>
  );
}

function headingOf(isBack: boolean, failed: boolean): string {
  if (!isBack) return t('Nobody is signing in');
  return failed ? t('The sign-in did not work') : t('Signing in');
}
