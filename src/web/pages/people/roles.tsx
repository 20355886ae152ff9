// Roles of users: those of the system to read, the tenant's own to make, change and delete.
import { useState } from 'react';
import type { RoleDetailDto } from '../../../client/index.ts';
import { formatNumber, plural, t } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Pick } from '../../ui/pick.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { Permissions } from './permissions.tsx';
import { RoleDialog } from './role-dialog.tsx';

export function Roles() {
  const { query } = useLocation();
  const list = useResource('user roles', () => client.roles.list({ query: { pageSize: 200 } }));
  const [making, setMaking] = useState(false);
  return (
    <div className="stack">
      {may('RolesWrite') && (
        <div>
          <Button icon="plus" onClick={() => setMaking(true)}>
            {t('New role')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) => {
          const chosen = items.find((one) => String(one.id) === query.get('role')) ?? items[0];
          return (
            <div className="two">
              <Pick label={t('Roles')} items={items} chosen={chosen?.id} onPick={(one) => patchQuery({ role: one.id })}>
                {(one) => (
                  <>
                    <strong>{one.name}</strong>
                    <span className="row">
                      {one.isSystem && <span className="tag">{t('built-in')}</span>}
                      <span className="small faint num">{plural(one.memberCount, '{n} user', '{n} users')}</span>
                    </span>
                  </>
                )}
              </Pick>
              {chosen && <Role key={chosen.id} id={chosen.id} onChange={list.reload} />}
            </div>
          );
        }}
      </Loaded>
      {making && <RoleDialog onClose={() => setMaking(false)} onDone={list.reload} />}
    </div>
  );
}

function Role({ id, onChange }: { id: number; onChange: () => void }) {
  const role = useResource(`user role ${id}`, () => client.roles.get({ params: { id } }));
  const changed = () => {
    role.reload();
    onChange();
  };
  return (
    <Loaded resource={role}>
      {(one) => (
        <div className="stack">
          <RoleCard role={one} onChange={changed} />
          <Permissions role={one} onChange={changed} />
        </div>
      )}
    </Loaded>
  );
}

function RoleCard({ role, onChange }: { role: RoleDetailDto; onChange: () => void }) {
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const mine = may('RolesWrite') && !role.isSystem;
  const remove = async () => {
    const patch = patchFromHere();
    await client.roles.remove({ params: { id: role.id } });
    say(t('Deleted'));
    patch({ role: null });
    onChange();
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{role.name}</h2>
        {mine && (
          <span className="row">
            <Button size="small" icon="edit" onClick={() => setAsking('edit')}>
              {t('Change')}
            </Button>
            <Button size="small" kind="danger" disabled={role.memberCount > 0} onClick={() => setAsking('delete')}>
              {t('Delete')}
            </Button>
          </span>
        )}
      </div>
      <div className="card-body stack">
        {role.description && <p>{role.description}</p>}
        <Figures
          items={[
            [t('Users'), formatNumber(role.memberCount)],
            [t('Permissions'), formatNumber(role.permissions.length)],
            [t('Weight'), formatNumber(role.weight)],
          ]}
        />
        <p className="small muted">
          {t('A user can change other users whose roles have a lower weight than the highest of their own.')}{' '}
          {mine && role.memberCount > 0 && t('A role can be deleted once no user has it.')}
        </p>
      </div>
      {asking === 'edit' && <RoleDialog role={role} onClose={() => setAsking(null)} onDone={onChange} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the role {name}?', { name: role.name })}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setAsking(null)}
        >
          <p>{t('No user has it.')}</p>
        </Confirm>
      )}
    </section>
  );
}
