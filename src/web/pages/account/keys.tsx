// Keys of the account: those of the identity that it acts as, and the one of the user itself.
import { useState } from 'react';
import type { AuthPrincipalDto, UserDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Keys } from '../identities/keys.tsx';
import { Secret } from '../identities/secret.tsx';

export function AccountKeys({ principal, user }: { principal: AuthPrincipalDto; user: UserDto }) {
  const identityId = may('ApiKeysManage') ? principal.identity?.id : undefined;
  if (identityId === undefined && !may('UsersWrite'))
    return <Empty title={t('No API keys')}>{t('Your role does not include API keys. Ask an administrator.')}</Empty>;
  return (
    <div className="stack">
      {identityId !== undefined && <Keys identityId={identityId} />}
      {may('UsersWrite') && <UserKey userId={user.id} />}
    </div>
  );
}

function UserKey({ userId }: { userId: number }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const { busy, act } = useAction();
  const params = { id: userId };
  const make = async () => setSecret((await client.users.createKey({ params, body: {} })).rawKey);
  const revoke = async () => {
    await client.users.removeKey({ params });
    setSecret(null);
    say(t('Revoked'), t('Its connections are closed.'));
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Key of the user')}</h2>
        <span className="row">
          <Button size="small" icon="refresh" disabled={busy} onClick={() => void act(make)}>
            {t('Create or replace')}
          </Button>
          <Button size="small" kind="danger" onClick={() => setAsking(true)}>
            {t('Revoke')}
          </Button>
        </span>
      </div>
      <div className="card-body stack">
        <p className="muted">{t('One key with all permissions of your user. A new one replaces it.')}</p>
        {secret && <Secret text={secret} onHide={() => setSecret(null)} />}
      </div>
      {asking && (
        <Confirm
          title={t('Revoke the key of your user?')}
          action={t('Revoke')}
          onConfirm={revoke}
          onClose={() => setAsking(false)}
        >
          <p>{t('Programs that use it lose access at once, and their connections close.')}</p>
        </Confirm>
      )}
    </section>
  );
}
