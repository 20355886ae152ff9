// Changes what a user may do: its role in the system, the tenant's own roles beside it, and whether it may sign in.
import { useState } from 'react';
import type { RoleDto, UserDto, UserRole } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

export const systemRoles: UserRole[] = ['Owner', 'Admin', 'Operator', 'Member', 'Viewer', 'Agent'];

interface Props {
  user: UserDto;
  /** The tenant's own. */
  roles: readonly RoleDto[];
  onClose: () => void;
  onDone: () => void;
}

export function UserDialog({ user, roles, onClose, onDone }: Props) {
  const [displayName, setDisplayName] = useState(user.displayName ?? '');
  const [role, setRole] = useState(user.role);
  const [roleIds, setRoleIds] = useState<readonly number[]>(user.roleIds);
  const [isActive, setActive] = useState(user.isActive);
  const toggle = (id: number, has: boolean) => setRoleIds(has ? [...roleIds, id] : roleIds.filter((one) => one !== id));
  const save = async () => {
    const name = displayName.trim();
    // Only what has changed: each of them needs rights of its own.
    const body = {
      ...(name && name !== user.displayName ? { displayName: name } : {}),
      ...(role !== user.role ? { role } : {}),
      ...(String(roleIds) !== String(user.roleIds) ? { roleIds: [...roleIds] } : {}),
      ...(isActive !== user.isActive ? { isActive } : {}),
    };
    if (Object.keys(body).length > 0) await client.users.patch({ params: { id: user.id }, body });
    say(t('Saved'), t('Takes effect with the next request.'));
    onDone();
  };
  return (
    <FormDialog
      title={t('Change {name}', { name: user.displayName || user.username })}
      action={t('Save')}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Display name')} value={displayName} onChange={setDisplayName} />
      <SelectField label={t('Role')} value={role} onChange={setRole} options={namesOf(systemRoles)} />
      {roles.length > 0 && (
        <fieldset className="choice-list">
          <legend>{t('Further roles')}</legend>
          {roles.map((one) => (
            <CheckField
              key={one.id}
              label={one.name}
              checked={roleIds.includes(one.id)}
              onChange={(has) => toggle(one.id, has)}
            />
          ))}
        </fieldset>
      )}
      <CheckField label={t('May sign in')} checked={isActive} onChange={setActive} />
    </FormDialog>
  );
}
