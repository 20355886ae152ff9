// The permissions of a role by what they are about; in a role of the tenant's own they are given and taken here.
import { useState } from 'react';
import type { Permission, PermissionDto, RoleDetailDto } from '../../../client/index.ts';
import { plural, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

function byGroup(all: readonly PermissionDto[]): [string, PermissionDto[]][] {
  const groups = new Map<string, PermissionDto[]>();
  for (const one of all) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return [...groups];
}

interface Props {
  role: RoleDetailDto;
  onChange: () => void;
}

export function Permissions({ role, onChange }: Props) {
  const all = useResource('permissions', () => client.permissions.list());
  const [given, setGiven] = useState<ReadonlySet<Permission>>(() => new Set(role.permissions));
  const { busy, act } = useAction();
  const mayChange = may('RolesWrite') && !role.isSystem;
  const before = new Set(role.permissions);
  const changes =
    [...given].filter((one) => !before.has(one)).length + [...before].filter((one) => !given.has(one)).length;
  const toggle = (name: Permission, has: boolean) =>
    setGiven(new Set(has ? [...given, name] : [...given].filter((one) => one !== name)));
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
      <div className="card-body permission-groups">
        <Loaded resource={all}>
          {(items) =>
            byGroup(items).map(([group, own]) => (
              <fieldset key={group}>
                <legend>{words(group)}</legend>
                {own.map((one) => (
                  <PermissionBox
                    key={one.name}
                    permission={one}
                    has={given.has(one.name)}
                    impliedBy={items.find(({ name, implies }) => given.has(name) && implies.includes(one.name))?.name}
                    fixed={!mayChange}
                    onToggle={(has) => toggle(one.name, has)}
                  />
                ))}
              </fieldset>
            ))
          }
        </Loaded>
      </div>
    </section>
  );
}

interface BoxProps {
  permission: PermissionDto;
  has: boolean;
  /** A permission of the role that includes this one. */
  impliedBy: Permission | undefined;
  fixed: boolean;
  onToggle: (has: boolean) => void;
}

function PermissionBox({ permission, has, impliedBy, fixed, onToggle }: BoxProps) {
  // Nobody gives what they do not have.
  const isLacking = !may(permission.name) && !has;
  const held = has || impliedBy !== undefined;
  const why = isLacking
    ? t('You do not have it yourself')
    : impliedBy
      ? t('Included in {name}', { name: words(impliedBy).toLowerCase() })
      : '';
  return (
    <label className="check permission" title={why || undefined}>
      <input
        type="checkbox"
        checked={held}
        disabled={fixed || isLacking || impliedBy !== undefined}
        onChange={(event) => onToggle(event.target.checked)}
      />
      <span>
        <span className="permission-name">
          {words(permission.name)}{' '}
          {permission.isDangerous && (
            <span className="tag" data-tone="bad">
              {t('sensitive')}
            </span>
          )}
        </span>
        <span className="small muted">{permission.description}</span>
      </span>
    </label>
  );
}
