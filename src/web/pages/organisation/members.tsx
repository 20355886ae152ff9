// Who is in a unit, and as what: its own members, and those of the units above, who are members here too.
import { useState } from 'react';
import type { OrgUnitDto, OrgUnitMemberDto } from '../../../client/index.ts';
import { formatDay, t, words } from '../../base/i18n.ts';
import { href, patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { EditMemberDialog, NewMemberDialog } from './member-dialog.tsx';
import { mayManage, nameOn, type UnitProps } from './unit-props.ts';

const pageSize = 50;

type Asked = { to: 'add' } | { to: 'change' | 'remove'; member: OrgUnitMemberDto };

export function Members({ unit, path, news, onChange }: UnitProps) {
  const { query } = useLocation();
  const [asked, setAsked] = useState<Asked | null>(null);
  const q = query.get('q') ?? '';
  const page = pageIn(query);
  const params = { id: unit.id };
  const list = useKept(
    useResource(`members of unit ${unit.id} ${q} ${page}`, () =>
      client.orgUnits.members({ params, query: { page, pageSize, includeInherited: true, ...(q && { q }) } }),
    ),
  );
  useReloadOn(news, list.reload);
  const changed = () => {
    list.reload();
    onChange();
  };
  const manages = mayManage(unit);
  const close = () => setAsked(null);
  const remove = async (memberId: number) => {
    await client.orgUnits.removeMember({ params: { ...params, memberId } });
    changed();
  };
  return (
    <div className="stack">
      <div className="filters">
        <SearchField label={t('Search members')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        {manages && (
          <Button icon="plus" onClick={() => setAsked({ to: 'add' })}>
            {t('Add a member')}
          </Button>
        )}
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <NoMembers isSearch={q !== ''} />
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns(path, manages ? setAsked : null)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {asked?.to === 'add' && <NewMemberDialog unit={unit} onClose={close} onDone={changed} />}
      {asked?.to === 'change' && (
        <EditMemberDialog unit={unit} member={asked.member} onClose={close} onDone={changed} />
      )}
      {asked?.to === 'remove' && (
        <Confirm
          title={t('Remove {name} from {unit}?', { name: asked.member.name, unit: unit.name })}
          action={t('Remove')}
          onConfirm={() => remove(asked.member.id)}
          onClose={close}
        >
          <p>
            {t('The access to the projects of this unit and of those below it ends, unless another unit gives it.')}
          </p>
        </Confirm>
      )}
    </div>
  );
}

const NoMembers = ({ isSearch }: { isSearch: boolean }) =>
  isSearch ? (
    <Empty title={t('No member matches')}>{t('Search for another name or e-mail address.')}</Empty>
  ) : (
    <Empty title={t('No member yet')}>
      {t('Members work in the projects of the unit and of the units below it, each with a role.')}
    </Empty>
  );

const columns = (path: readonly OrgUnitDto[], ask: ((asked: Asked) => void) | null): Column<OrgUnitMemberDto>[] => [
  {
    head: t('Member'),
    className: 'grow',
    cell: ({ name, email, title, memberKind }) => (
      <>
        <strong>{name}</strong> {memberKind === 'Identity' && <span className="tag">{t('agent')}</span>}
        <div className="small faint">{[title, email].filter(Boolean).join(' · ')}</div>
      </>
    ),
  },
  {
    head: t('Role'),
    cell: ({ roleName, isManager }) => (
      <span className="row wrap">
        {roleName ? words(roleName) : <span className="faint">{t('none')}</span>}
        {isManager && <span className="tag">{t('manager')}</span>}
      </span>
    ),
  },
  {
    head: t('From'),
    cell: ({ inheritedFromOrgUnitId: from }) =>
      from === null ? t('this unit') : <a href={href(`/organisation/${from}`)}>{nameOn(path, from)}</a>,
  },
  {
    head: t('Ends'),
    cell: ({ expiresAtUtc }) => (expiresAtUtc ? formatDay(expiresAtUtc) : <span className="faint">{t('never')}</span>),
  },
  ...(ask
    ? [
        {
          head: '',
          num: true,
          cell: (member: OrgUnitMemberDto) =>
            member.inheritedFromOrgUnitId === null && (
              <span className="row unit-row-actions">
                <IconButton
                  icon="edit"
                  label={t('Change {name}', { name: member.name })}
                  onClick={() => ask({ to: 'change', member })}
                />
                <IconButton
                  icon="close"
                  label={t('Remove {name}', { name: member.name })}
                  onClick={() => ask({ to: 'remove', member })}
                />
              </span>
            ),
        },
      ]
    : []),
];
