// The logins at sign-in providers that the account can be entered with.
import { useEffect } from 'react';
import type { ExternalLoginDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { wordsOfRefusal } from '../signin/providers.tsx';

/** Nothing where the server has no provider and the account no login. */
export function Logins() {
  const logins = useResource('logins', () => client.oauth.links());
  const providers = useResource('sign-in providers', () => client.oauth.providers()).data ?? [];
  const { busy, act } = useAction();
  useOutcome();
  const linkable = providers.filter(({ allowLink }) => allowLink);
  const link = (provider: string) =>
    void act(async () => {
      const { authorizationUrl } = await client.oauth.start({ params: { provider }, query: { intent: 'Link' } });
      window.location.assign(authorizationUrl);
    });
  const unlink = (id: number) =>
    void act(async () => {
      await client.oauth.unlink({ params: { id } });
      say(t('Unlinked'));
    }).then(logins.reload);
  if (linkable.length === 0 && (logins.data ?? []).length === 0) return null;
  return (
    <section className="card" data-testid="logins">
      <div className="card-head">
        <h2>{t('Sign-in providers')}</h2>
      </div>
      <div className="card-body stack">
        <Loaded resource={logins}>
          {(rows) =>
            rows.length === 0 ? (
              <p className="muted">{t('No login is linked. Link one to sign in with it.')}</p>
            ) : (
              <Rows rows={rows} busy={busy} onUnlink={unlink} />
            )
          }
        </Loaded>
        <div className="row wrap">
          {linkable.map(({ key, name }) => (
            <Button key={key} size="small" disabled={busy} onClick={() => link(key)}>
              {t('Link {provider}', { provider: name })}
            </Button>
          ))}
        </div>
      </div>
    </section>
  );
}

/** Says what came of it when the browser is back from a provider. */
function useOutcome() {
  const { query } = useLocation();
  const [linked, refused] = [query.get('linked'), query.get('signInError')];
  useEffect(() => {
    if (linked === null && refused === null) return;
    if (refused === null) say(t('Linked'));
    else say(wordsOfRefusal(refused), null, 'bad');
    patchQuery({ linked: null, signInError: null });
  }, [linked, refused]);
}

function Rows({ rows, busy, onUnlink }: { rows: ExternalLoginDto[]; busy: boolean; onUnlink: (id: number) => void }) {
  const now = useNow();
  const columns: Column<ExternalLoginDto>[] = [
    { head: t('Provider'), cell: ({ provider }) => provider },
    { head: t('Login'), cell: (one) => one.email ?? one.displayName ?? one.subject },
    {
      head: t('Last used'),
      className: 'small nowrap',
      cell: ({ lastUsedAtUtc }) => (lastUsedAtUtc ? formatAgo(lastUsedAtUtc, now) : '–'),
    },
    {
      head: '',
      num: true,
      cell: ({ id, canUnlink }) => (
        <Button
          size="small"
          disabled={busy || !canUnlink}
          {...(!canUnlink && { tip: t('This is the last way into your account. Set a password first.') })}
          onClick={() => onUnlink(id)}
        >
          {t('Unlink')}
        </Button>
      ),
    },
  ];
  return <Table rows={rows} keyOf={({ id }) => id} columns={columns} />;
}
