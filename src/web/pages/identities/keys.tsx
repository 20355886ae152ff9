// The keys of an identity: made, rotated, revoked.
import { useState } from 'react';
import type { IdentityApiKeyDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { Secret } from './secret.tsx';

export function Keys({ identityId }: { identityId: number }) {
  const now = useNow();
  const params = { identityId };
  const keys = useResource(`keys ${identityId}`, () => client.identityKeys.list({ params, query: { pageSize: 200 } }));
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Keys')}</h2>
        <Button size="small" icon="plus" onClick={() => setMaking(true)}>
          {t('New key')}
        </Button>
      </div>
      {secret && (
        <div className="card-body">
          <Secret text={secret} onHide={() => setSecret(null)} />
        </div>
      )}
      <Loaded resource={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No keys')}>{t('A key lets a program act as this identity.')}</Empty>
          ) : (
            <Table rows={items} keyOf={(key) => key.id} columns={keyColumns(now, setAsking)} />
          )
        }
      </Loaded>
      {making && (
        <KeyDialog identityId={identityId} onMade={setSecret} onDone={keys.reload} onClose={() => setMaking(false)} />
      )}
      {asking && (
        <Question asking={asking} onRotated={setSecret} onDone={keys.reload} onClose={() => setAsking(null)} />
      )}
    </section>
  );
}

interface Asking {
  what: 'rotate' | 'revoke';
  of: IdentityApiKeyDto;
}

/** How long programs may go on with a key that was rotated. */
const overlapMinutes = 60;

interface QuestionProps {
  asking: Asking;
  onRotated: (secret: string) => void;
  onDone: () => void;
  onClose: () => void;
}

/** What is asked before a key ends. */
function Question({ asking: { what, of }, onRotated, onDone, onClose }: QuestionProps) {
  const params = { identityId: of.identityId, keyId: of.id };
  const rotate = async () => {
    onRotated((await client.identityKeys.rotate({ params, body: { overlapMinutes } })).rawKey);
    onDone();
  };
  const revoke = async () => {
    await client.identityKeys.remove({ params });
    say(t('Revoked'), t('Its connections are closed.'));
    onDone();
  };
  return what === 'rotate' ? (
    <Confirm
      title={t('Rotate the key {name}?', { name: of.name })}
      action={t('Rotate')}
      danger={false}
      onConfirm={rotate}
      onClose={onClose}
    >
      <p>{t('A new key takes its place. The old one works for another hour.')}</p>
    </Confirm>
  ) : (
    <Confirm
      title={t('Revoke the key {name}?', { name: of.name })}
      action={t('Revoke')}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{t('Programs that use it lose access at once, and their connections close.')}</p>
    </Confirm>
  );
}

const keyColumns = (now: number, onAsk: (asking: Asking) => void): Column<IdentityApiKeyDto>[] => [
  {
    head: t('Name'),
    cell: (key) => (
      <>
        {key.name} {!key.isActive && <Chip shape="dam">{t('Revoked')}</Chip>}
      </>
    ),
  },
  { head: t('Key'), className: 'mono faint', cell: (key) => `${key.prefix}…${key.last4}` },
  {
    head: t('Scopes'),
    className: 'small muted',
    cell: ({ scopes }) => (
      <span title={scopes.join(', ')}>
        {scopes.length === 0
          ? t('all permissions of the identity')
          : plural(scopes.length, '{n} permission', '{n} permissions')}
      </span>
    ),
  },
  {
    head: t('Last used'),
    className: 'small',
    cell: (key) => (key.lastUsedAtUtc ? formatAgo(key.lastUsedAtUtc, now) : t('never')),
  },
  {
    head: t('Expires'),
    className: 'small',
    cell: (key) => (key.expiresAtUtc ? formatDate(key.expiresAtUtc) : t('never')),
  },
  {
    head: '',
    num: true,
    cell: (key) =>
      key.isActive && (
        <span className="row" style={{ justifyContent: 'flex-end' }}>
          <Button size="small" icon="refresh" onClick={() => onAsk({ what: 'rotate', of: key })}>
            {t('Rotate')}
          </Button>
          <Button size="small" kind="danger" onClick={() => onAsk({ what: 'revoke', of: key })}>
            {t('Revoke')}
          </Button>
        </span>
      ),
  },
];
