// The permissions of a role by what they are about; in a role of the tenant's own they are given and taken here.
import { useState } from 'react';
import type { Permission, RoleDetailDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { PermissionBoxes } from './permission-boxes.tsx';

interface Props {
  role: RoleDetailDto;
  onChange: () => void;
}

export function Permissions({ role, onChange }: Props) {
  const [given, setGiven] = useState<ReadonlySet<Permission>>(() => new Set(role.permissions));
  const { busy, act } = useAction();
  const mayChange = may('RolesWrite') && !role.isSystem;
  const before = new Set(role.permissions);
  const changes =
    [...given].filter((one) => !before.has(one)).length + [...before].filter((one) => !given.has(one)).length;
  const save = async () => {
    await client.roles.setPermissions({ params: { id: role.id }, body: { permissions: [...given] } });
    say(t('Saved'), t('Takes effect with the next request.'));
    onChange();
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Permissions')}</h2>
        {changes > 0 && (
          <span className="row">
            <span className="small muted">{plural(changes, '{n} change', '{n} changes')}</span>
            <Button size="small" onClick={() => setGiven(before)}>
              {t('Undo')}
            </Button>
            <Button size="small" kind="primary" disabled={busy} onClick={() => void act(save)}>
              {t('Save')}
            </Button>
          </span>
        )}
      </div>
      <div className="card-body">
        <PermissionBoxes given={given} fixed={!mayChange} onChange={setGiven} />
      </div>
    </section>
  );
}
