// Permissions to choose from, by what they are about; those that come with another one are shown as chosen.
import type { Permission, PermissionDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';

function byGroup(all: readonly PermissionDto[]): [string, PermissionDto[]][] {
  const groups = new Map<string, PermissionDto[]>();
  for (const one of all) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return [...groups];
}

interface Props {
  given: ReadonlySet<Permission>;
  /** Nothing of it may be changed. */
  fixed: boolean;
  onChange: (given: ReadonlySet<Permission>) => void;
}

export function PermissionBoxes({ given, fixed, onChange }: Props) {
  const all = useResource('permissions', () => client.permissions.list());
  const toggle = (name: Permission, has: boolean) =>
    onChange(new Set(has ? [...given, name] : [...given].filter((one) => one !== name)));
  return (
    <div className="permission-groups">
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
                  fixed={fixed}
                  onToggle={(has) => toggle(one.name, has)}
                />
              ))}
            </fieldset>
          ))
        }
      </Loaded>
    </div>
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
  // A person can give only permissions that they have.
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
