// Identities and their keys, as far as the server offers them.
import { type FormEvent, useState } from 'react';
import type { IdentityApiKeyDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, plural, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Copyable } from '../../ui/code.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import type { PageProps } from '../page-props.ts';

export function IdentitiesPage({ params }: PageProps) {
  const id = Number(params.id) || null;
  const list = useResource('identities', () => client.identities.list({ query: { pageSize: 200, sort: 'name' } }));
  const [making, setMaking] = useState(false);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Identities and keys')}</h1>
        {may('IdentitiesWrite') && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            {t('New identity')}
          </Button>
        )}
      </div>
      <div className="two">
        <Loaded resource={list}>
          {({ items }) => (
            <nav className="pick" aria-label={t('Identities')}>
              {items.map((one) => (
                <a
                  key={one.id}
                  href={`#/identities/${one.id}`}
                  aria-current={one.id === (id ?? items[0]?.id) ? 'true' : undefined}
                >
                  <span className="truncate">
                    <strong>{one.displayName || one.name}</strong>{' '}
                    <span className="faint small">{words(one.type)}</span>
                  </span>
                  {!one.isActive && <span className="tag">{t('inactive')}</span>}
                </a>
              ))}
            </nav>
          )}
        </Loaded>
        {(id ?? list.data?.items[0]?.id) ? <Identity key={id} id={id ?? list.data?.items[0]?.id ?? 0} /> : null}
      </div>
      {making && <NewIdentity onClose={() => setMaking(false)} onDone={list.reload} />}
    </div>
  );
}

function Identity({ id }: { id: number }) {
  const one = useResource(`identity ${id}`, () => client.identities.get({ params: { id } }));
  return (
    <div className="stack">
      <Loaded resource={one}>
        {(identity) => (
          <section className="card">
            <div className="card-head">
              <h2>{identity.displayName}</h2>
              <Copyable text={identity.guid} />
            </div>
            <div className="card-body stack tight">
              {identity.bio && <p>{identity.bio}</p>}
              <span className="muted">
                {words(identity.type)} · {words(identity.presenceState)} ·{' '}
                {t('since {date}', { date: formatDate(identity.createdAtUtc) })}
              </span>
            </div>
          </section>
        )}
      </Loaded>
      {may('ApiKeysManage') && <Keys identityId={id} />}
    </div>
  );
}

function Keys({ identityId }: { identityId: number }) {
  const now = useNow();
  const params = { identityId };
  const keys = useResource(`keys ${identityId}`, () => client.identityKeys.list({ params, query: { pageSize: 200 } }));
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<number | null>(null);
  const make = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const made = await client.identityKeys.create({ params, body: { name } });
      setSecret(made.rawKey);
      setName('');
      keys.reload();
    } catch (error) {
      sayError(error);
    }
  };
  const rotate = (keyId: number) =>
    client.identityKeys.rotate({ params: { identityId, keyId }, body: { overlapMinutes: 60 } }).then((made) => {
      setSecret(made.rawKey);
      say(t('Rotated'), t('The old key works for another hour.'));
      keys.reload();
    }, sayError);
  const revoke = () =>
    client.identityKeys.remove({ params: { identityId, keyId: revoking ?? 0 } }).then(() => {
      setRevoking(null);
      say(t('Revoked'), t('Its connections are closed.'));
      keys.reload();
    }, sayError);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Keys')}</h2>
      </div>
      <div className="card-body stack">
        {secret && <Secret text={secret} onHide={() => setSecret(null)} />}
        <form className="row" onSubmit={make}>
          <input
            className="input"
            value={name}
            aria-label={t('Name of the new key')}
            placeholder={t('Name of the new key, such as laptop')}
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" icon="plus" disabled={!name.trim()}>
            {t('Make')}
          </Button>
        </form>
      </div>
      <Loaded resource={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No keys')}>{t('A key lets a program act as this identity.')}</Empty>
          ) : (
            <Table
              rows={items}
              keyOf={(key) => key.id}
              columns={keyColumns(now, (id) => void rotate(id), setRevoking)}
            />
          )
        }
      </Loaded>
      {revoking !== null && (
        <Confirm
          title={t('Revoke this key?')}
          action={t('Revoke')}
          onConfirm={() => void revoke()}
          onClose={() => setRevoking(null)}
        >
          <p>{t('Programs that use it lose access at once, and their connections close.')}</p>
        </Confirm>
      )}
    </section>
  );
}

function Secret({ text, onHide }: { text: string; onHide: () => void }) {
  return (
    <div className="secret">
      <div className="grow">
        <div className="small muted">{t('Shown once. Copy it now.')}</div>
        <Copyable text={text} />
      </div>
      <IconButton icon="close" label={t('Hide')} onClick={onHide} />
    </div>
  );
}

const keyColumns = (
  now: number,
  onRotate: (id: number) => void,
  onRevoke: (id: number) => void,
): Column<IdentityApiKeyDto>[] => [
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
        {scopes.length === 0 ? t('all of the identity’s') : plural(scopes.length, '{n} permission', '{n} permissions')}
      </span>
    ),
  },
  {
    head: t('Last used'),
    className: 'small',
    cell: (key) => (key.lastUsedAtUtc ? formatAgo(key.lastUsedAtUtc, now) : t('never')),
  },
  {
    head: t('Ends'),
    className: 'small',
    cell: (key) => (key.expiresAtUtc ? formatDate(key.expiresAtUtc) : t('never')),
  },
  {
    head: '',
    num: true,
    cell: (key) =>
      key.isActive && (
        <span className="row" style={{ justifyContent: 'flex-end' }}>
          <Button size="small" icon="refresh" onClick={() => onRotate(key.id)}>
            {t('Rotate')}
          </Button>
          <Button size="small" kind="danger" onClick={() => onRevoke(key.id)}>
            {t('Revoke')}
          </Button>
        </span>
      ),
  },
];

function NewIdentity({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [bio, setBio] = useState('');
  const create = async () => {
    await client.identities.create({
      body: { name, type: 'AI', ...(displayName ? { displayName } : {}), ...(bio ? { bio } : {}) },
    });
    onDone();
  };
  return (
    <FormDialog
      title={t('New identity')}
      action={t('Create')}
      ready={name.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <TextField label={t('Shown as')} value={displayName} onChange={setDisplayName} />
      <TextField label={t('About')} value={bio} onChange={setBio} rows={3} />
    </FormDialog>
  );
}
