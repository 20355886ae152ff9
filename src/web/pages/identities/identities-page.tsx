// Identities and their keys, as far as the server offers them.
import '../../styles/people.css';
import '../../styles/settings.css';
import { useState } from 'react';
import { t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import type { PageProps } from '../page-props.ts';
import { Identity } from './identity.tsx';

export function IdentitiesPage({ params }: PageProps) {
  const id = Number(params.id) || null;
  const list = useResource('identities', () => client.identities.list({ query: { pageSize: 200, sort: 'name' } }));
  const shown = id ?? list.data?.items[0]?.id ?? null;
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
      <div className="two" data-open={id !== null}>
        <Loaded resource={list}>
          {({ items }) => (
            <nav className="pick" aria-label={t('Identities')}>
              {items.map((one) => (
                <a key={one.id} href={`#/identities/${one.id}`} aria-current={one.id === shown ? 'true' : undefined}>
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
        {shown !== null ? <Identity key={shown} id={shown} isNamed={id !== null} onChange={list.reload} /> : null}
      </div>
      {making && <NewIdentity onClose={() => setMaking(false)} onDone={list.reload} />}
    </div>
  );
}

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
      <TextField label={t('Display name')} value={displayName} onChange={setDisplayName} />
      <TextField name="bio" label={t('About')} value={bio} onChange={setBio} rows={3} />
    </FormDialog>
  );
}
