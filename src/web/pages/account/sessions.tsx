// Where the account is signed in, and how to end it there.
import type { AuthSessionDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

export function Sessions() {
  const now = useNow();
  const list = useResource('sessions', () => client.auth.sessions());
  const { busy, act } = useAction();
  const end = (sessions: readonly AuthSessionDto[]) =>
    void act(async () => {
      await Promise.all(sessions.map(({ id }) => client.auth.endSession({ params: { id } })));
      say(t('Signed out'));
    }).then(list.reload);
  return (
    <Loaded resource={list}>
      {(sessions) => {
        const others = sessions.filter(({ isCurrent }) => !isCurrent);
        if (sessions.length === 0)
          return <Empty title={t('No sessions')}>{t('You are signed in with a key, which is no session.')}</Empty>;
        return (
          <div className="stack">
            <Table rows={sessions} keyOf={({ id }) => id} columns={columns(now, busy, (one) => end([one]))} />
            {others.length > 0 && (
              <div>
                <Button kind="danger" disabled={busy} onClick={() => end(others)}>
                  {t('Sign out all other sessions')}
                </Button>
              </div>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** `Mozilla/5.0 (X11; Linux x86_64) … Firefox/140.0` → `Firefox on Linux`; anything else as it is. */
function deviceOf({ deviceName, clientName, userAgent }: AuthSessionDto): string {
  if (deviceName || clientName) return deviceName ?? clientName ?? '';
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent ?? '')?.[1];
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent ?? '')?.[1];
  if (!browser) return userAgent || t('Unknown device');
  return t('{browser} on {system}', {
    browser: { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser,
    system: system === 'Mac OS X' ? 'macOS' : (system ?? '?'),
  });
}

const columns = (now: number, busy: boolean, onEnd: (one: AuthSessionDto) => void): Column<AuthSessionDto>[] => [
  {
    head: t('Device'),
    cell: (one) => (
      <>
        <span title={one.userAgent ?? ''}>{deviceOf(one)}</span>{' '}
        {one.isCurrent && (
          <span className="tag" data-tone="accent">
            {t('this session')}
          </span>
        )}
        {one.kind === 'OAuthClient' && (
          <span className="tag" title={one.scopes.join(', ')}>
            {t('program')}
          </span>
        )}
      </>
    ),
  },
  { head: t('IP address'), className: 'mono small', cell: (one) => one.ip ?? '–' },
  { head: t('Last seen'), className: 'small nowrap', cell: (one) => formatAgo(one.lastSeenAtUtc, now) },
  { head: t('Created'), className: 'small nowrap', cell: (one) => formatDate(one.createdAtUtc) },
  { head: t('Expires'), className: 'small nowrap', cell: (one) => formatDate(one.expiresAtUtc) },
  {
    head: '',
    num: true,
    cell: (one) =>
      !one.isCurrent && (
        <Button size="small" disabled={busy} onClick={() => onEnd(one)}>
          {one.kind === 'OAuthClient' ? t('Disconnect') : t('Sign out')}
        </Button>
      ),
  },
];
