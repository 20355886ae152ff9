// Users: found by name, with the role that each has in the system and the tenant's own roles beside it.
import { useState } from 'react';
import type { RoleDto, UserDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { UserDialog } from './user-dialog.tsx';

const pageSize = 50;

export function Users() {
  const { query } = useLocation();
  const now = useNow();
  const q = query.get('q') ?? '';
  const page = pageIn(query);
  const list = useKept(
    useResource(`users ${q} ${page}`, () =>
      client.users.list({ query: { pageSize, page, sort: 'username', ...(q ? { q } : {}) } }),
    ),
  );
  const roles = useResource(may('RolesRead') ? 'own roles' : null, () =>
    client.roles.list({ query: { pageSize: 200, isSystem: false } }),
  );
  const [changed, setChanged] = useState<UserDto | null>(null);
  const [making, setMaking] = useState(false);
  const own = roles.data?.items ?? [];
  return (
    <div className="stack">
      <div className="filters">
        <SearchField label={t('Search users')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        {may('UsersWrite') && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            {t('New user')}
          </Button>
        )}
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={t('No users match')}>{t('Search for another name or e-mail address.')}</Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={(one) => one.id} columns={columns(now, own, setChanged)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <NewUserDialog onClose={() => setMaking(false)} onDone={list.reload} />}
      {changed && <UserDialog user={changed} roles={own} onClose={() => setChanged(null)} onDone={list.reload} />}
    </div>
  );
}

const columns = (now: number, roles: readonly RoleDto[], onChange: (user: UserDto) => void): Column<UserDto>[] => [
  {
    head: t('User'),
    cell: (user) => (
      <>
        <strong>{user.displayName || user.username}</strong>
        <div className="small faint">{[user.username, user.email].filter(Boolean).join(' · ')}</div>
      </>
    ),
  },
  { head: t('Type'), cell: (user) => words(user.type) },
  { head: t('Role'), cell: (user) => words(user.role) },
  {
    head: t('Further roles'),
    cell: ({ roleIds }) =>
      roleIds.length === 0 ? (
        <span className="faint">{t('none')}</span>
      ) : (
        <span className="row wrap tags">
          {roleIds.map((id) => (
            <span key={id} className="tag">
              {roles.find((role) => role.id === id)?.name ?? `#${id}`}
            </span>
          ))}
        </span>
      ),
  },
  {
    head: t('Status'),
    cell: ({ isActive }) =>
      isActive ? (
        <Chip shape="tick" tone="good">
          {t('Active')}
        </Chip>
      ) : (
        <Chip shape="dam">{t('Inactive')}</Chip>
      ),
  },
  {
    head: t('Last seen'),
    className: 'small nowrap',
    cell: ({ lastSeenAtUtc, lastLoginAtUtc }) => {
      const seen = lastSeenAtUtc ?? lastLoginAtUtc;
      return seen ? formatAgo(seen, now) : t('never');
    },
  },
  {
    head: '',
    num: true,
    cell: (user) =>
      may('UsersWrite') && (
        <Button size="small" icon="edit" onClick={() => onChange(user)}>
          {t('Change')}
        </Button>
      ),
  },
];
