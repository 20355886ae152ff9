// What the link of an invitation to an organisation unit opens: who is signed in joins as who they are, others sign in or
// make an account first.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { client, signOut } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { credential, ended } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { say } from '../../ui/toast.tsx';
import { ByPassword } from './by-password.tsx';
import { Join } from './join.tsx';
import { Way, type WayProps } from './way.tsx';

async function accept(token: string) {
  await client.orgUnits.acceptInvite({ body: { token } });
  say(t('You have joined the unit'));
}

export function JoinUnit(props: WayProps & { token: string }) {
  const isSignedIn = useStore(credential) !== null;
  const isOver = useStore(ended) !== null;
  return isSignedIn && !isOver ? <AsOneself {...props} /> : <AsSomebody {...props} />;
}

function AsOneself({ token, busy, error, onSignIn }: WayProps & { token: string }) {
  const me = useResource('who joins a unit', () => client.auth.me());
  if (me.loading) return <Skeleton rows={3} />;
  const user = me.data?.user;
  if (!user)
    return (
      <div className="stack">
        <p>
          {t('You are invited to an organisation unit. You are signed in with a key, and people join as themselves.')}
        </p>
        <Others />
      </div>
    );
  const name = user.displayName || user.username;
  return (
    <div className="stack">
      <Way
        busy={busy}
        error={error}
        label={t('Join as {name}', { name })}
        onSubmit={() => onSignIn(() => accept(token))}
      >
        <p>{t('You are invited to an organisation unit, and are signed in as {name}.', { name })}</p>
      </Way>
      <Others />
    </div>
  );
}

const Others = () => (
  <>
    <Button onClick={() => void signOut()}>{t('Use another account')}</Button>
    <Button onClick={() => go('/', {}, 'replace')}>{t('Not now')}</Button>
  </>
);

function AsSomebody({ token, onSignIn, ...rest }: WayProps & { token: string }) {
  const [mode, setMode] = useState<'new' | 'known'>('new');
  // Once the account is there the unit is joined at once; what then fails is told to who is signed in.
  const signIn = (attempt: () => Promise<unknown>) =>
    onSignIn(async () => {
      await attempt();
      await accept(token);
    });
  return (
    <>
      <Tabs
        label={t('How to join')}
        active={mode}
        onChange={setMode}
        items={[
          { key: 'new', label: t('New account') },
          { key: 'known', label: t('I have an account') },
        ]}
      />
      {mode === 'new' ? (
        <Join {...rest} onSignIn={onSignIn} token={token} />
      ) : (
        <>
          <ByPassword {...rest} onSignIn={signIn} />
          <p className="small muted">
            {t('Sign in first where you sign in without a password, then open the link of the invitation once more.')}
          </p>
        </>
      )}
    </>
  );
}
