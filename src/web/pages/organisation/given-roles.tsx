// The roles that may be given in a unit, and the one that new members get.
import type { OrgUnitDetailDto, OrgUnitRoleDto, RoleDto } from '../../../client/index.ts';
import { formatNumber, plural, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useUnitRoles } from './role-options.ts';
import type { UnitProps } from './unit-props.ts';

/** Roles of the system that no unit gives: they are given to a user as a whole. */
const never = ['Owner', 'Agent'];

interface Choice {
  roleIds: readonly number[];
  defaultRoleId: number | null;
  inherit: boolean;
}

export function GivenRoles({ unit, onChange }: UnitProps) {
  const given = useUnitRoles(unit.id);
  const all = useResource(may('OrgUnitsWrite') && may('RolesRead') ? 'roles to give in units' : null, () =>
    client.roles.list({ query: { pageSize: 200 } }),
  );
  const save = async ({ roleIds, defaultRoleId, inherit }: Choice) => {
    const body = { roleIds: [...roleIds], defaultRoleId, inherit };
    const saved = await client.orgUnits.setRoles({ params: { id: unit.id }, body });
    given.put(() => saved);
    onChange();
  };
  return (
    <Loaded resource={given}>
      {(roles) => (
        <div className="stack">
          {roles.length === 0 ? (
            <Empty title={t('No role is given here')}>
              {t('Members have no role in this unit, and contribute to its projects.')}
            </Empty>
          ) : (
            <Table rows={roles} keyOf={({ roleId }) => roleId} columns={columns()} />
          )}
          {all.data && <RoleForm unit={unit} given={roles} all={all.data.items} onSave={save} />}
        </div>
      )}
    </Loaded>
  );
}

const columns = (): Column<OrgUnitRoleDto>[] => [
  {
    head: t('Role'),
    className: 'grow',
    cell: ({ roleName, isDefault, isInherited }) => (
      <span className="row wrap">
        <strong>{words(roleName)}</strong>
        {isDefault && <span className="tag">{t('usual')}</span>}
        {isInherited && <span className="tag">{t('from above')}</span>}
      </span>
    ),
  },
  { head: t('Weight'), num: true, cell: ({ weight }) => formatNumber(weight) },
  {
    head: t('Permissions'),
    num: true,
    cell: ({ permissions }) => plural(permissions.length, '{n} permission', '{n} permissions'),
  },
  { head: t('Members'), num: true, cell: ({ memberCount }) => formatNumber(memberCount) },
];

interface FormProps {
  unit: OrgUnitDetailDto;
  given: readonly OrgUnitRoleDto[];
  all: readonly RoleDto[];
  onSave: (choice: Choice) => Promise<void>;
}

function RoleForm({ unit, given, all, onSave }: FormProps) {
  const named = all
    .filter(({ name, isSystem }) => !(isSystem && never.includes(name)))
    .map(({ id, name }) => [String(id), words(name)] as const);
  const value: Choice = {
    roleIds: given.filter(({ isInherited }) => !isInherited).map(({ roleId }) => roleId),
    // Its own: one that the unit above gives is not said here.
    defaultRoleId: unit.defaultRoleId,
    inherit: given.some(({ isInherited }) => isInherited),
  };
  const sections: Section<keyof Choice>[] = [
    {
      title: t('Roles that may be given'),
      fields: [
        { key: 'roleIds', label: 'Given by this unit', kind: 'choices', numeric: true, options: named },
        ...(unit.parentId === null
          ? []
          : [{ key: 'inherit' as const, label: 'Those of the unit above, too', kind: 'check' as const }]),
        {
          key: 'defaultRoleId',
          label: 'Usual role',
          kind: 'choice',
          numeric: true,
          orNone: 'None',
          options: named,
          hint: 'New members and guests get it when no role is chosen.',
        },
      ],
    },
  ];
  return <RecordForm draft={`unit-roles.${unit.id}`} value={value} sections={sections} mayChange onSave={onSave} />;
}
